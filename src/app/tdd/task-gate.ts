import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { completionOf, diagnosticReport } from '../../domains/tdd/diagnosis.js'
import { skipTest } from '../../domains/tdd/skip-test.js'
import type { GateAnswer, TaskState } from '../../domains/tdd/task-state.js'
import { readFileSet } from '../../roles/copied-files.js'
import { type GateDraft, type GateOption, type GateRecord, isOpen } from '../../store/gate-rows.js'
import type { TaskMessage } from '../../store/task-rows.js'
import { isTestFile } from '../../testgen/test-path.js'
import type { TaskContext } from './task-context.js'
import { diagnose } from './task-steps.js'
import { originalOf, projectText, takeFiles } from './task-workspace.js'

/** The choices where a test fails again and again; there is no default. */
const options: readonly (GateOption & { readonly answer: GateAnswer })[] = [
  { choice: 'A', answer: 'debugger', text: 'Invoke the debugger for root-cause analysis' },
  { choice: 'B', answer: 'by_hand', text: 'Go on by hand: you change the code, or the coder tries again' },
  { choice: 'C', answer: 'skip', text: 'Skip the test and proceed (mark as known issue)' },
  { choice: 'D', answer: 'abort', text: 'Abort the task' },
]

export function failureGate(
  { test, times }: { readonly test: string; readonly times: number },
  { failing, diagnosis }: TaskState,
  { id, project }: Pick<TaskContext, 'id' | 'project'>,
): GateDraft {
  const message = failing.find((each) => each.test === test)?.message ?? ''
  return {
    root: project.root,
    source: 'task',
    owner: id,
    kind: 'test_failure_escalation',
    subject: test,
    question: `Tests failing repeatedly (${times} times): ${test}`,
    details: [
      ...errorLines(message).slice(0, 5),
      ...(diagnosis === null ? [] : [`The last diagnosis did not help: ${diagnosis.rootCause}`]),
    ],
    options,
  }
}

/** Returns what went wrong without the way to it: pytest marks it with E where a file cannot be imported. */
function errorLines(message: string): readonly string[] {
  const lines = message.split('\n').filter((line) => line.trim() !== '')
  const marked = lines.filter((line) => /^E\s/.test(line)).map((line) => line.replace(/^E\s+/, ''))
  return marked.length > 0 ? marked : lines
}

/** What an answer leads to. */
export interface GateOutcome {
  readonly state: TaskState
  readonly status: 'running' | 'waiting' | 'aborted'
  readonly messages: readonly TaskMessage[]
}

/** Carries out the answer to the gate on which a task waits. Everything that it does can be done again without another effect. */
export async function carryOut(
  state: TaskState,
  gate: GateRecord,
  context: TaskContext,
): Promise<GateOutcome> {
  const open = { ...state, gate: null }
  switch (gate.answer) {
    case 'debugger': {
      context.onSay(`diagnose ${gate.subject}`)
      const diagnosed = await diagnose(open, context)
      const { diagnosis } = diagnosed
      if (diagnosis === null) throw new Error('the debugger said nothing')
      const report = diagnosticReport(diagnosis)
      await writeReport(context, 'diagnosis.md', report)
      for (const line of report.trimEnd().split('\n')) context.onSay(line)
      return {
        state: diagnosed,
        status: 'running',
        messages: [{ kind: 'completion', data: completionOf(diagnosis) }],
      }
    }
    case 'by_hand':
      return { state: { ...open, byHand: true }, status: 'waiting', messages: [] }
    case 'skip':
      return { state: await setAside(open, gate, context), status: 'running', messages: [] }
    default:
      return { state: { ...open, step: 'end', problem: 'aborted' }, status: 'aborted', messages: [] }
  }
}

/** Returns the folder where a person mends the code of a task. */
export function handFolder({ id, project }: Pick<TaskContext, 'id' | 'project'>): string {
  return join(project.root, 'reports', id, 'files')
}

/** Lays out the files of a task for a person, once: what is there already may have been changed by hand. */
export async function layOutFiles(state: TaskState, context: TaskContext): Promise<void> {
  const { project } = context
  const folder = handFolder(context)
  const touched = Object.keys(state.files).filter((path) => !isTestFile(path))
  const named = state.task.interfaces.flatMap((line) => /^`?([\w./-]+\.py)/.exec(line)?.[1] ?? [])
  for (const path of new Set([...touched, ...named])) {
    const text = state.files[path] ?? (await projectText(project.root, path)) ?? ''
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text, { flag: 'wx' }).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    })
  }
}

/** Returns the task with what a person changed by hand; `byHand` says whether there was anything. */
export async function takeHandEdits(state: TaskState, context: TaskContext): Promise<TaskState> {
  const { project, roles, onSay } = context
  const folder = handFolder(context)
  const edited: Record<string, string> = {}
  for (const [path, found] of await readFileSet(folder, ['.'])) {
    if (found.kind !== 'file') continue
    const text = await readFile(join(folder, path), 'utf8')
    const known = Object.hasOwn(state.files, path) ? state.files[path] : await projectText(project.root, path)
    if (text !== (known ?? '')) edited[path] = text
  }
  const { refused, ...taken } = await takeFiles(project, state, roles.coder, edited)
  for (const { path, reason } of refused) onSay(`refused  ${path}: ${reason}`)
  return { ...state, ...taken, byHand: Object.keys(edited).length > refused.length }
}

/** Marks a test as a known issue, with a text about it for whoever mends it. */
async function setAside(state: TaskState, gate: GateRecord, context: TaskContext): Promise<TaskState> {
  const { subject } = gate
  const [path = '', ...rest] = subject.split('::')
  const name = rest.at(-1)
  const file = `known-issue-${gate.id}.md`
  const message = state.failing.find(({ test }) => test === subject)?.message ?? ''
  const text = [
    `# Known issue: ${subject}`,
    '',
    `The test fails ${state.failures[subject] ?? 0} times in a row, and was skipped in the task "${state.task.task.split('\n')[0]}".`,
    '',
    '```',
    message,
    '```',
    ...(state.diagnosis === null ? [] : ['', diagnosticReport(state.diagnosis)]),
    '',
    `Gate ${gate.id}.`,
    '',
  ].join('\n')
  await writeReport(context, file, text)
  context.onSay(`skipped  ${subject}; the issue's text is reports/${context.id}/${file}`)
  const draft = {
    title: `Known issue: ${subject} (${gate.id})`,
    file: join(context.project.root, 'reports', context.id, file),
  }
  if (context.fileIssue !== undefined) context.onSay(`issue    ${await context.fileIssue(draft)}`)
  const { [subject]: _, ...failures } = state.failures
  const current = state.files[path] ?? (await projectText(context.project.root, path)) ?? undefined
  const skipped =
    name === undefined || current === undefined
      ? undefined
      : skipTest(current, name, `known issue ${gate.id}`)
  return {
    ...state,
    failures,
    knownIssues: [...new Set([...state.knownIssues, subject])],
    ...(skipped === undefined
      ? {}
      : {
          files: { ...state.files, [path]: skipped },
          originals: { ...state.originals, ...(await originalOf(context.project.root, state, path)) },
        }),
  }
}

async function writeReport({ id, project }: TaskContext, name: string, text: string): Promise<void> {
  const folder = join(project.root, 'reports', id)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), text)
}

/** Returns the gate on which a task waits, a new one where it has expired. */
export function gateOf(state: TaskState, { store, now }: TaskContext): GateRecord | undefined {
  const gate = state.gate === null ? undefined : store.gates.find(state.gate)
  return gate !== undefined && (gate.answer !== undefined || isOpen(gate, now())) ? gate : undefined
}
