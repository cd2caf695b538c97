import { posix } from 'node:path'
import type { Sample } from '../../contracts/agent-answer.js'
import { AutotestError } from '../../errors.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { SubagentDefinition } from '../../subagent/definition-types.js'
import { runSubagent } from '../../subagent/runner/run-subagent.js'
import { scriptsOf, type Trace } from '../../subagent/runner/trace.js'
import type { TurnModel } from '../../subagent/runner/turn-model.js'
import { createTestingHost, type TestTarget } from '../../testgen/host-functions.js'
import type { FunctionDescription } from '../../testgen/python/worker-results.js'
import { observeTool } from '../../testgen/tool-contracts.js'
import { readWorkspaceFile } from '../../testgen/workspace/workspace-files.js'
import type { PythonSession } from './python-sessions.js'
import type { TestedFunction } from './run-test-file.js'

export interface AgentWork {
  readonly definition: SubagentDefinition
  readonly snapshot: Snapshot
  /** A session whose workspace nobody else uses. */
  readonly session: PythonSession
  readonly tested: TestedFunction
  readonly description: FunctionDescription
  /** Text of the function's file. */
  readonly source: string
  readonly spec: string | undefined
  /** Creates the model for this work. */
  readonly model: (session: PythonSession) => TurnModel
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Lets an agent write tests of a function in a workspace, and returns its test file. */
export async function writeWithAgent(work: AgentWork): Promise<Sample> {
  const { definition, snapshot, session, tested, description, source, spec, timeoutMs, signal } = work
  const started = performance.now()
  const target: TestTarget = tested
  const host = createTestingHost({
    worker: session.worker,
    target,
    writable: [posix.dirname(tested.testPath)],
  })
  let trace: Trace
  try {
    trace = await runSubagent({
      definition,
      snapshot,
      variables: {
        node_text: textOf(source, description),
        node_name: tested.qualname,
        node_type: description.role,
        file_path: tested.path,
        test_path: tested.testPath,
        spec: spec ?? '',
      },
      host: host.functions,
      model: work.model(session),
      observe: (name, args) => observeTool(name, args, { worker: session.worker, host, target }),
      timeoutMs,
      signal,
    })
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof AutotestError) || !isOfCase(error)) throw error
    return { kind: 'error', message: error.message, ms: performance.now() - started }
  }
  const base = { read: scriptsOf(trace), trace, ms: performance.now() - started }
  const { ending } = trace
  if (ending.kind === 'not_submitted') return { kind: 'no_answer', message: ending.reason, ...base }
  const failed = failureOf(ending.value)
  if (failed !== undefined) return { kind: 'no_answer', message: failed, ...base }
  const text = await readWorkspaceFile(session.worker, tested.testPath)
  if (!host.writtenFiles().includes(tested.testPath) || text === undefined) {
    const others = host.writtenFiles().join(', ')
    const message =
      others === '' ? 'it submitted without a test file' : `it wrote ${others}, and no ${tested.testPath}`
    return { kind: 'no_answer', message, ...base }
  }
  return { kind: 'answer', text, ...base }
}

/** Reports whether an error is one of this case only, and not one with which every other would fail. */
export function isOfCase({ code }: AutotestError): boolean {
  return /^python_|^function_|^agent_failed$/.test(code) && code !== 'python_missing'
}

/** Returns why an agent's result says that the work failed; undefined if it does not. */
function failureOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('status' in value) || value.status !== 'failed')
    return undefined
  const error = 'error' in value && typeof value.error === 'string' ? value.error : ''
  const summary = 'summary' in value && typeof value.summary === 'string' ? value.summary : ''
  return [`submitted, and failed: ${error}`, summary].filter((part) => part !== '').join(' · ')
}

function textOf(source: string, { line, end_line: end }: FunctionDescription): string {
  return source
    .split('\n')
    .slice(line - 1, end)
    .join('\n')
}
