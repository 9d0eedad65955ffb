// vitest's reporter: from 0.30 (onTaskUpdate, onFinished) to 4 (onTestModuleEnd, onTestRunEnd).
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = process.env.REDGREEN_TOOLS ?? dirname(fileURLToPath(import.meta.url))
const { tell } = createRequire(join(here, 'redgreen_vitest.mjs'))('./redgreen_report.cjs')

function outcome(task, failedAbove) {
  const state = task.result?.state
  if (state === 'pass') return 'passed'
  if (state === 'fail') return 'failed'
  if (task.mode === 'skip' || task.mode === 'todo' || state === 'skip' || state === 'todo') {
    return failedAbove ? 'error' : 'skipped'
  }
  return failedAbove ? 'error' : null
}

export default class Reporter {
  told = new Set()
  ended = false

  onInit(context) {
    this.context = context
  }

  // the same file may run in several projects, and its types may be checked besides
  label(file) {
    const projects = (this.context?.projects ?? []).filter((one) => {
      const root = one.config?.root
      return root && (file.filepath + sep).startsWith(root.endsWith(sep) ? root : root + sep)
    })
    const words = []
    if (projects.length > 1 && file.projectName) words.push(`[${file.projectName}]`)
    if (file.pool === 'typescript' || file.meta?.typecheck) words.push('(types)')
    return words.join(' ')
  }

  file(file) {
    const label = this.label(file)
    const key = `${file.filepath} ${label}`
    if (this.told.has(key)) return
    this.told.add(key)
    const say = (event) => tell({ file: file.filepath, label, ...event })
    const failed = file.result?.state === 'fail'
    if (failed && (!file.tasks.length || file.result.errors?.length)) say({ kind: 'broken', names: [] })
    const walk = (tasks, names, failedAbove) => {
      for (const task of tasks) {
        const path = [...names, task.name]
        if (task.type === 'suite') {
          const broken = task.result?.state === 'fail' && task.result.errors?.length > 0
          if (broken) say({ kind: 'broken', names: path })
          walk(task.tasks, path, failedAbove || broken)
        } else {
          say({ kind: 'test', names: path, outcome: outcome(task, failedAbove) })
        }
      }
    }
    walk(file.tasks, [], failed && file.result.errors?.length > 0)
    say({ kind: 'done' })
  }

  onCollected(files) {
    for (const file of files ?? []) tell({ kind: 'start', file: file.filepath, label: this.label(file) })
  }

  onTaskUpdate(packs) {
    for (const [id] of packs) {
      const task = this.context?.state?.idMap?.get(id)
      if (task?.filepath && ['pass', 'fail', 'skip'].includes(task.result?.state)) this.file(task)
    }
  }

  onTestModuleStart(module) {
    if (module.task) tell({ kind: 'start', file: module.task.filepath, label: this.label(module.task) })
  }

  onTestModuleEnd(module) {
    if (module.task) this.file(module.task)
  }

  onFinished(files, errors) {
    for (const file of files ?? []) this.file(file)
    this.end(errors)
  }

  onTestRunEnd(modules, errors) {
    for (const module of modules ?? []) this.onTestModuleEnd(module)
    this.end(errors)
  }

  end(errors) {
    if (this.ended) return
    this.ended = true
    tell({ kind: 'end', errors: errors?.length ?? 0 })
  }
}
