import type { AgentTurn, TurnResult } from '../../domains/tdd/task-agents.js'
import type { TaskState } from '../../domains/tdd/task-state.js'
import type { PythonSession } from '../../domains/tests/python-sessions.js'
import type { Role } from '../../roles/role.js'
import { type TestRun, testRun } from '../../testgen/python/worker-results.js'
import { isTestFile } from '../../testgen/test-path.js'
import type { TaskContext } from './task-context.js'
import { openTaskSession, takeFiles } from './task-workspace.js'

/** Lets an agent of a role work, and takes over what it may write; what it may not is recorded. */
export async function workAs(
  role: Role,
  state: TaskState,
  complaints: readonly string[],
  context: TaskContext,
  work: (turn: AgentTurn) => Promise<TurnResult>,
) {
  const { id, project, store, now, onSay } = context
  const result = await inLazySession(state, role, context, (session) =>
    work(turnOf(state, session, context, complaints)),
  )
  const { refused: notTaken, ...taken } = await takeFiles(project, state, role, result.files)
  const refused = [...(result.refused ?? []), ...notTaken]
  const at = now().toISOString()
  store.refusals.record(
    refused.map((each) => ({ ...each, at, root: project.root, role: role.name, source: 'tdd' as const })),
  )
  for (const { path, reason } of refused) {
    onSay(`refused  ${path}: ${reason}`)
    store.tasks.say(id, { kind: 'refused', data: { role: role.name, path, reason } }, now())
  }
  return { taken, result }
}

export function turnOf(
  state: TaskState,
  session: AgentTurn['session'],
  { project }: TaskContext,
  complaints: readonly string[],
): AgentTurn {
  const added = Object.keys(state.files).filter((path) => state.files[path] !== null)
  const sources = [...new Set([...project.files, ...added])].filter(
    (path) =>
      path.endsWith('.py') && !isTestFile(path) && !/(^|\/)(tests?|conftest\.py|setup\.py)(\/|$)/.test(path),
  )
  return { state, session, sources, complaints }
}

/** Does work in a copy of the project with all that was done in a task so far. */
export function inSession<Result>(
  state: TaskState,
  role: Role | undefined,
  context: TaskContext,
  work: (session: PythonSession) => Promise<Result>,
): Promise<Result> {
  return inLazySession(state, role, context, async (session) => work(await session()))
}

/** The same for work that may do without: its session is opened when it is first asked for. */
export async function inLazySession<Result>(
  state: TaskState,
  role: Role | undefined,
  { project, signal }: TaskContext,
  work: (session: AgentTurn['session']) => Promise<Result>,
): Promise<Result> {
  let opened: Promise<PythonSession> | undefined
  try {
    return await work(() => {
      opened ??= openTaskSession(project, state, role, signal)
      return opened
    })
  } finally {
    await opened?.then((session) => session.close())
  }
}

export function runTests(
  { worker }: PythonSession,
  paths: readonly string[],
  seconds: number,
): Promise<TestRun> {
  return worker.call('run_tests', { paths, seconds }, testRun, (seconds + 30) * 1000)
}
