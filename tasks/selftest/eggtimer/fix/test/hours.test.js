const { seconds, shown, steps } = require('..')

test('hours', () => {
  expect(seconds('1:00:00')).toBe(3600)
  expect(shown(3600)).toBe('1:00:00')
})

describe('reads', () => {
  for (const name of ['a b', 'a - b', 'a::b', 'b]', '\u00e9', '\u001b[31m', '100%', 'two\nlines', 'ends with a blank ', '(5 ms)', '']) {
    test(name, () => {
      expect(seconds('2:00:01')).toBe(7201)
    })
  }
})

test('answers an object', () => {
  expect(steps(3600, 1800)).toEqual([{ left: 3600, text: '1:00:00' }, { left: 1800, text: '30:00' }])
})

test('looks as it did', () => {
  expect(steps(7200, 3600)).toMatchSnapshot()
})
