import assert from 'node:assert/strict'
import test from 'node:test'
import { scale } from '../src/index.ts'

test('doubles', () => assert.equal(scale('2 eggs', 2, 4), '4 eggs'))
test('halves', () => assert.equal(scale('2 eggs', 4, 2), '1 egg'))
test('leaves what has no amount', () => assert.equal(scale('salt', 2, 4), 'salt'))
test('doubles a mixed amount', () => assert.equal(scale('1 1/2 cups', 2, 4), '3 cups'))
