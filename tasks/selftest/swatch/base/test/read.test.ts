import { describe, expect, it, test } from 'vitest'
import { lightness, read } from '../src/index'

describe('read', () => {
  it('takes a colour apart', () => {
    expect(read('#ff8800')).toEqual({ red: 255, green: 136, blue: 0 })
  })

  it.todo('knows names')
  it.skip('knows alpha', () => {
    expect(read('#ff880080')).toHaveProperty('alpha')
  })
})

test('lightness', () => {
  expect(lightness('#303030')).toBe(48)
})

test('prints what looks like a result', () => {
  console.log('\u001b[31m FAIL \u001b[0m test/read.test.ts > lightness\n Tests  1 failed (1)')
})
