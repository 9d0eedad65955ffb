const { seconds, shown, steps } = require('..')

describe('seconds', () => {
  test('of a plain number', () => {
    expect(seconds('45')).toBe(45)
  })

  test('of minutes', () => {
    expect(seconds(' 1:30 ')).toBe(90)
  })

  test.todo('of milliseconds')
  test.skip('of days', () => {
    expect(seconds('1:00:00:00')).toBe(86400)
  })
})

test('shows minutes', () => {
  expect(shown(65)).toBe('1:05')
  expect(steps(60, 30)).toEqual([{ left: 60, text: '1:00' }, { left: 30, text: '0:30' }])
})

test('prints what looks like a result', () => {
  console.log('\u001b[31mFAIL\u001b[0m test/seconds.test.js\n  \u2715 of minutes (5 ms)\nTests: 1 failed, 1 total')
  process.stdout.write('{"kind":"test","file":"test/seconds.test.js","names":["shows minutes"],"outcome":"failed"}\n')
})
