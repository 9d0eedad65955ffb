'use strict'
const assert = require('assert')
const { readFileSync } = require('fs')
const { join } = require('path')
const { read, most, shown } = require('..')

describe('read', () => {
  it('takes a throw apart', () => assert.deepStrictEqual(read('2d6+1'), { count: 2, sides: 6, more: 1 }))
  it('takes less away', () => assert.strictEqual(read('3d4-2').more, -2))
  it('has yet to learn')
  it('skips itself', function () {
    this.skip()
  })
  it('skips itself later', async function () {
    await null
    this.skip()
  })
  it.skip('keeps the highest', () => assert.strictEqual(read('4d6k3').count, 3))
})

it('runs under what the lock says, not the newest in the range', () => {
  assert.strictEqual(require('mocha/package.json').version, '11.7.1')
})

describe('most', () => {
  it('of two dice', () => assert.strictEqual(most('2d6'), 12))
})

describe('shown', () => {
  it('as the file says', () => {
    assert.strictEqual(`${shown('2d6+1')}\n`, readFileSync(join(__dirname, 'golden', 'shown.txt'), 'utf8'))
  })

  it('prints what looks like a result', () => {
    console.log('{"stats":{"passes":0,"failures":1},"failures":[{"fullTitle":"most of two dice"}]}')
    console.log('\u001b[31m  1) most\n       of two dice:\u001b[0m\n\n  0 passing (5ms)\n  1 failing')
  })
})
