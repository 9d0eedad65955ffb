'use strict'
const { describe, it } = require('node:test')
const assert = require('node:assert')
const { millilitres, all } = require('..')

describe('plurals', () => {
  it('of cups', () => assert.strictEqual(millilitres('2 cups'), 480))
  it('in a list', () => assert.deepStrictEqual(all(['2 Tbsp']), [{ text: '2 Tbsp', millilitres: 30 }]))

  for (const name of ['a b', 'a - b', 'a::b', 'b]', '\u00e9', '\u001b[31m', '100%', 'two\nlines', 'ends with a blank ', '(5 ms)', '# TODO']) {
    it(name, () => assert.equal(millilitres('3 cups'), 720))
  }
})

it('twice', () => assert.strictEqual(millilitres('4 cups'), 960))
it('twice', () => assert.strictEqual(millilitres('5 cups'), 1200))
