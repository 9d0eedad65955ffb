const { steps } = require('..')

test('counts down', () => {
  expect(steps(90, 30)).toMatchSnapshot()
})
