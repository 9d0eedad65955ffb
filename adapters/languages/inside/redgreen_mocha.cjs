// mocha's reporter, and a file for --require: a file of tests that cannot be loaded breaks alone, not the whole run.
'use strict'
const { createRequire } = require('module')
const { join } = require('path')
const { tell } = require('./redgreen_report.cjs')

const mocha = createRequire(join(process.env.REDGREEN_RUNNER, 'package.json'))
delete process.env.REDGREEN_RUNNER

function broken(file, error) {
  console.error(error)
  tell({ kind: 'broken', file, label: '', names: [] })
}

try {
  const loader = mocha(join(mocha.resolve('./package.json'), '../lib/nodejs/esm-utils.js'))
  for (const name of ['requireOrImport', 'requireModule']) {
    const load = loader[name]
    if (typeof load !== 'function') continue
    loader[name] = async function (file, ...rest) {
      if (/redgreen_mocha\.cjs$/.test(file)) return load.call(this, file, ...rest)
      try {
        return await load.call(this, file, ...rest)
      } catch (error) {
        if (!tests.has(file)) throw error
        broken(file, error)
      }
    }
  }
} catch {
  // before mocha 7.1: loadFiles below is all
}

const tests = new Set()
const Mocha = mocha(join(mocha.resolve('./package.json'), '../lib/mocha.js'))
const plain = Mocha.prototype.loadFiles
const later = Mocha.prototype.loadFilesAsync
Mocha.prototype.loadFiles = function (fn) {
  const files = this.files
  for (const file of files) {
    this.files = [file]
    try {
      plain.call(this)
    } catch (error) {
      broken(file, error)
    }
  }
  this.files = files
  if (fn) fn()
}
if (later) {
  Mocha.prototype.loadFilesAsync = function (...rest) {
    for (const file of this.files) tests.add(require('path').resolve(file))
    return later.apply(this, rest)
  }
}

// mocha takes whatever throws its `Pending` for a test that skips itself, and counts it as passed unless `skip` was called
const lib = (name) => mocha(join(mocha.resolve('./package.json'), '../lib', name))
const Runnable = lib('runnable.js')
const Pending = lib('pending.js')
const plainRun = Runnable.prototype.run
Runnable.prototype.run = function (done) {
  const body = this.fn
  const genuine = (error) =>
    error instanceof Pending && !this.pending ? new Error(`not skipped by a test: ${error.message}`) : error
  if (typeof body === 'function') {
    this.fn = function (...rest) {
      let result
      try {
        result = body.apply(this, rest)
      } catch (error) {
        throw genuine(error)
      }
      if (!result || typeof result.then !== 'function') return result
      return new Promise((resolve, reject) => result.then(resolve, (error) => reject(genuine(error))))
    }
  }
  return plainRun.call(this, done)
}

function names(test) {
  const path = []
  for (let at = test; at && at.parent; at = at.parent) path.unshift(at.title) // a title may be empty: only the root has no parent
  return path
}

function fileOf(test) {
  for (let at = test; at; at = at.parent) if (at.file) return at.file
  return ''
}

module.exports = class Reporter {
  constructor(runner) {
    const told = new Set()
    const say = (test, outcome) => {
      told.add(test)
      tell({ kind: 'test', file: fileOf(test), label: '', names: names(test), outcome })
    }
    const failed = new Set()
    runner.on('pass', (test) => say(test, test.currentRetry && test.currentRetry() > 0 ? 'failed' : 'passed'))
    runner.on('pending', (test) => say(test, 'skipped'))
    runner.on('fail', (test) => {
      if (test.type !== 'hook') return say(test, 'failed')
      failed.add(test.parent)
      tell({ kind: 'broken', file: fileOf(test), label: '', names: names(test.parent) })
    })
    runner.on('end', () => {
      const walk = (suite, below) => {
        const hit = below || failed.has(suite)
        for (const test of suite.tests) if (!told.has(test)) say(test, hit ? 'error' : null)
        for (const inner of suite.suites) walk(inner, hit)
      }
      walk(runner.suite, false)
      tell({ kind: 'end', errors: 0 })
    })
  }
}
