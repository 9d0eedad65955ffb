'use strict'
const assert = require('assert')
const { card, width } = require('..')

describe('card', () => {
  it('centres a name', () => assert.strictEqual(card('Ada', 9), '   Ada   '))
  it('leaves a long name alone', () => assert.strictEqual(card('Wilhelmina', 4), 'Wilhelmina'))
})

describe('width', () => {
  it('counts letters', () => assert.strictEqual(width('Ada'), 3))
})
