// Starts ava (3 to 6) with its TAP reporter's ears turned to us: ava knows no reporters of others, and a file of one test
// has no name in its TAP. usage: redgreen_ava.mjs <ava's folder> <word ...>
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)
const { tell } = require('./redgreen_report.cjs')
const home = process.argv[2]
const modern = existsSync(join(home, 'entrypoints/cli.mjs'))
const tap = join(home, 'lib/reporters/tap.js')
const Reporter = modern ? (await import(pathToFileURL(tap).href)).default : require(tap)

const say = (event, what) => event.testFile && tell({ label: '', file: event.testFile, ...what })
const HEARD = {
  'test-passed': (event) => say(event, { kind: 'test', names: [event.title], outcome: event.knownFailing ? 'skipped' : 'passed' }),
  'test-failed': (event) => say(event, { kind: 'test', names: [event.title], outcome: 'failed' }),
  'hook-failed': (event) => say(event, { kind: 'test', names: [event.title], outcome: 'failed' }),
  'selected-test': (event) => {
    if (event.skip || event.todo) say(event, { kind: 'test', names: [event.title], outcome: 'skipped' })
    else say(event, { kind: 'test', names: [event.title], outcome: null })
  },
}
for (const type of ['uncaught-exception', 'unhandled-rejection', 'worker-failed', 'missing-ava-import', 'no-tests', 'timeout']) {
  HEARD[type] = (event) => say(event, { kind: 'broken', names: [] })
}

const consume = Reporter.prototype.consumeStateChange
Reporter.prototype.consumeStateChange = function (event) {
  HEARD[event.type]?.(event)
  return consume.call(this, event)
}
const endRun = Reporter.prototype.endRun
Reporter.prototype.endRun = function (...rest) {
  tell({ kind: 'end', errors: 0 })
  return endRun.apply(this, rest)
}

process.argv.splice(1, 2, join(home, modern ? 'entrypoints/cli.mjs' : 'cli.js'), '--tap')
if (modern) await import(pathToFileURL(process.argv[1]).href)
else require(process.argv[1])
