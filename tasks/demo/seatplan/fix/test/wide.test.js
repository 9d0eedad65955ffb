'use strict'
const assert = require('assert')
const { card, width } = require('..')

describe('wide signs', () => {
  it('take two columns', () => assert.ok(width('山田'), 4))
  it('are centred by columns', () => assert.ok(card('山田', 8), '  山田  '))
})
