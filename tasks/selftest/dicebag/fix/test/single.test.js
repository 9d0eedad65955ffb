'use strict'
const assert = require('assert')
const { read, most } = require('..')

describe('a single die', () => {
  it('counts as one', () => assert.strictEqual(most('d20'), 20))
  it('is an object', () => assert.deepStrictEqual(read('d6'), { count: 1, sides: 6, more: 0 }))
  it('is loosely equal', () => assert.equal(read('d6').count, '1'))

  for (const name of ['a b', 'a - b', 'a::b', 'b]', '\u00e9', '\u001b[31m', '100%', 'two\nlines', 'ends with a blank ', '(5 ms)', '']) {
    it(name, () => assert.strictEqual(most('d8+2'), 10))
  }
})

describe('', () => {
  it('twice', () => assert.strictEqual(most('d4'), 4))
  it('twice', () => assert.strictEqual(most('d10'), 10))
})
