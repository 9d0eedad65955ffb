import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { read, write } from '../src/index.ts'

describe('a whole number and a fraction', () => {
  it('are added', () => assert.equal(read('1 1/2'), 72))
  it('come back as they were', () => assert.equal(write(read('2 3/4')), '2 3/4'))
  it('are refused if one is none', () => assert.throws(() => read('1 big'), RangeError))
})
