import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { read, write } from '../src/index.ts'

describe('read', () => {
  it('takes whole numbers', () => assert.equal(read('3'), 144))
  it('takes fractions', () => assert.equal(read('1/2'), 24))
  it('takes decimals', () => assert.equal(read('0.25'), 12))
  it('refuses words', () => assert.throws(() => read('some'), RangeError))
})

describe('write', () => {
  it('writes what is whole without a fraction', () => assert.equal(write(96), '2'))
  it('writes the simplest fraction', () => assert.equal(write(36), '3/4'))
  it('writes whole and part', () => assert.equal(write(72), '1 1/2'))
})
