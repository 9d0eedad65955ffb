// jest's reporter: what each file came to, before any processor of results could edit it.
'use strict'
const { tell } = require('./redgreen_report.cjs')

const OUTCOMES = { passed: 'passed', failed: 'failed', pending: 'skipped', skipped: 'skipped', todo: 'skipped', disabled: 'skipped' }

module.exports = class Reporter {
  onTestStart(test) {
    tell({ kind: 'start', file: test.path, label: this.label(test) })
  }

  label(test) {
    const name = test.context?.config?.displayName
    return name ? `[${name.name ?? name}]` : ''
  }

  onTestResult(test, result) {
    const say = (event) => tell({ file: test.path, label: this.label(test), ...event })
    if (result.testExecError || (result.failureMessage && !result.testResults.length)) say({ kind: 'broken', names: [] })
    for (const one of result.testResults) {
      say({ kind: 'test', names: [...one.ancestorTitles, one.title], outcome: OUTCOMES[one.status] ?? null })
    }
    say({ kind: 'done' })
  }

  onRunComplete(contexts, results) {
    if (results.wasInterrupted) return
    // what no file is to blame for: snapshots that are no longer used fail a run under --ci
    tell({ kind: 'end', errors: results.runExecError ? 1 : 0 })
  }
}
