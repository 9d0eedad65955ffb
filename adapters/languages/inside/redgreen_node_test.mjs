// node:test's reporter. Its events come in the order of declaration, so that those who started tell who is inside whom.
import { createRequire } from 'node:module'

const { tell } = createRequire(import.meta.url)('./redgreen_report.cjs')

export default async function* report(source) {
  const stacks = new Map()
  for await (const { type, data } of source) {
    const file = data?.file ?? ''
    if (type === 'test:start') {
      const stack = stacks.get(file) ?? []
      stack.length = data.nesting
      stack[data.nesting] = data.name
      stacks.set(file, stack)
    } else if (type === 'test:pass' || type === 'test:fail') {
      const path = (stacks.get(file) ?? []).slice(0, data.nesting)
      one(file, [...path.map(String), String(data.name)], type === 'test:pass', data)
    }
  }
  tell({ kind: 'end', errors: 0 })
}

function one(file, names, passed, data) {
  const cause = data.details?.error?.failureType
  // the process of a file is a test too, named after the file: it tells only if the file itself could not be run
  const ofProcess = names.length === 1 && (names[0] === file || file.endsWith('/' + names[0].replace(/^\.\//, '')))
  if (ofProcess) {
    if (!passed) tell({ kind: 'broken', file, label: '', names: [] })
    return
  }
  if (data.details?.type === 'suite') {
    if (!passed && cause !== 'subtestsFailed') tell({ kind: 'broken', file, label: '', names })
    return
  }
  const skipped = data.skip !== undefined || data.todo !== undefined
  tell({ kind: 'test', file, label: '', names, outcome: skipped ? 'skipped' : passed ? 'passed' : 'failed' })
}
