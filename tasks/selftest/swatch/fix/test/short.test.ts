import { describe, expect, it, test } from 'vitest'
import { lightness, read } from '../src/index'

describe('short colours', () => {
  it('double their digits', () => {
    expect(read('#f80')).toEqual({ red: 255, green: 136, blue: 0 })
  })

  for (const name of ['a b', 'a - b', 'a::b', 'b]', '\u00e9', '\u001b[31m', '100%', 'two\nlines', 'ends with a blank ', '(5 ms)', '']) {
    it(name, () => {
      expect(lightness('#333')).toBe(51)
    })
  }
})

test('look as they did', () => {
  expect(['#000', '#fff'].map(read)).toMatchSnapshot()
})
