import { join } from 'node:path'
import { initialState, type TaskState, testToAskAbout } from '../../domains/tdd/task-state.js'
import type { FileChange } from '../../edit/apply-edits.js'
import { readIfThere } from '../../roles/copied-files.js'
import type { GateRecord } from '../../store/gate-rows.js'
import type { TaskMessage, TaskStatus } from '../../store/task-rows.js'
import { redStep } from './red-step.js'
import type { StepResult } from './step-result.js'
import type { TaskContext } from './task-context.js'
import { carryOut, failureGate, gateOf, layOutFiles, takeHandEdits } from './task-gate.js'
import { baselineStep, greenStep, refactorStep, suiteStep } from './task-steps.js'
import { bytesOf, checkOriginals } from './task-workspace.js'

/** Where a task stands. */
export type TaskProgress =
  /** A person has to decide. */
  | { readonly kind: 'gate'; readonly gate: GateRecord }
  /** A person changes code by hand. */
  | { readonly kind: 'by_hand' }
  /** Everything passes: these files are to be written. */
  | { readonly kind: 'ready'; readonly changes: readonly FileChange[]; readonly state: TaskState }
  | { readonly kind: 'ended'; readonly status: TaskStatus; readonly problem: string | null }

/**
 * Works on a task from where it stands until a person has to decide, files are to be written, or it has ended. Each step is recorded with its end: a process
 * that is killed repeats the step in which it was, from the same state.
 */
export async function runTask(context: TaskContext): Promise<TaskProgress> {
  const { id, store, now } = context
  const save = (state: TaskState, status: TaskStatus, messages: readonly TaskMessage[] = []): void =>
    store.tasks.save(id, { state, status }, messages, now())
  for (;;) {
    context.signal.throwIfAborted()
    const record = store.tasks.find(id)
    if (record === undefined) throw new Error(`there is no task ${id}`)
    // Written by this program, perhaps by an earlier version.
    const known = record.state as TaskState
    const state = { ...initialState(known.task), ...known }
    const { status } = record
    if (state.step === 'end') {
      const ended = status === 'running' ? (state.problem === null ? 'done' : 'failed') : status
      if (ended !== status) save(state, ended)
      return { kind: 'ended', status: ended, problem: state.problem }
    }
    if (state.gate !== null) {
      const gate = gateOf(state, context)
      if (gate === undefined) {
        askAgain(state, context)
        continue
      }
      if (gate.answer === undefined) return { kind: 'gate', gate }
      const outcome = await carryOut(state, gate, context)
      store.together(() => {
        save(outcome.state, outcome.status, outcome.messages)
        store.gates.finish(gate.id, now())
      })
      if (outcome.status === 'waiting') {
        await layOutFiles(outcome.state, context)
        return { kind: 'by_hand' }
      }
      continue
    }
    if (state.step === 'write') return { kind: 'ready', changes: await changesOf(state, context), state }
    if (status === 'waiting' && state.byHand) {
      await layOutFiles(state, context)
      save(await takeHandEdits(state, context), 'running')
      continue
    }
    const result = await step(state, context)
    finishStep(result, context, save)
  }
}

/** Records that the files of a task are written. */
export function finishTask(state: TaskState, { id, store, now }: TaskContext): void {
  store.tasks.save(id, { state: { ...state, step: 'end' }, status: 'done' }, [], now())
}

function step(state: TaskState, context: TaskContext): Promise<StepResult> {
  switch (state.step) {
    case 'baseline':
      return baselineStep(state, context)
    case 'red':
      return redStep(state, context)
    case 'green':
      return greenStep(state, context)
    case 'refactor':
      return refactorStep(state, context)
    default:
      return suiteStep(state, context)
  }
}

function finishStep(
  { state, messages, ask }: StepResult,
  context: TaskContext,
  save: (state: TaskState, status: TaskStatus, messages: readonly TaskMessage[]) => void,
): void {
  const { store, now } = context
  // Question and state are there together: a gate without its task, or the reverse, could never be answered.
  store.together(() => {
    const gate = ask === undefined ? null : store.gates.open(failureGate(ask, state, context), now())
    save({ ...state, gate }, gate === null ? 'running' : 'waiting', messages)
  })
}

/** Opens a new gate for one that has expired. */
function askAgain(state: TaskState, context: TaskContext): void {
  const { id, store, now } = context
  const [first] = Object.keys(state.failures)
  const ask = testToAskAbout(state) ?? { test: first ?? 'all tests', times: 1 }
  store.together(() => {
    const gate = store.gates.open(failureGate(ask, state, context), now())
    store.tasks.save(id, { state: { ...state, gate }, status: 'waiting' }, [], now())
  })
}

/** Returns the changes of the project; files that are already as the task makes them are left out. */
async function changesOf(state: TaskState, { project }: TaskContext): Promise<readonly FileChange[]> {
  await checkOriginals(project.root, state)
  const changes: FileChange[] = []
  for (const [path, text] of Object.entries(state.files)) {
    const before = await readIfThere(join(project.root, path))
    const after = bytesOf(text)
    const isSame = before === null || after === null ? before === after : Buffer.compare(before, after) === 0
    if (!isSame) changes.push({ path, before, after })
  }
  return changes
}
