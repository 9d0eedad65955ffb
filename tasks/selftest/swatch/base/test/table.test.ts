import { expect, test } from 'vitest'
import { read } from '../src/index'

test('a table', () => {
  expect(['#000000', '#ffffff'].map(read)).toMatchSnapshot()
})
