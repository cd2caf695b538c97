import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { inspect } from 'node:util'
import { AutotestError } from '../errors.js'
import { builtModulePath } from '../platform/built-module.js'
import { kindOf } from '../platform/read-regular-file.js'
import type { Redactor } from '../text/secrets.js'
import type { Agent } from './agent.js'
import { sampleExternalAgent } from './external-agent.js'
import { type Outcome, readAnswer, requestFor } from './external-agent-protocol.js'
import { createMaterializer } from './materialize-snapshot.js'
import { WorkerCalls } from './worker-calls.js'

export interface ModuleAgentOptions {
  /** JavaScript file whose default export answers `(request) => answer`, relative to the root. */
  readonly path: string
  /** Absolute path of the project root. */
  readonly root: string
  readonly kbFolder: string
  /** Deadline of one call, in milliseconds. */
  readonly timeoutMs: number
  readonly deterministic: boolean
  /** Maximal number of concurrent calls; the deadline of a queued call starts with the call. */
  readonly concurrency: number
  readonly redact: Redactor
}

/** Started and unused workers, by the module's path. */
const prewarmedModules = new Map<string, Started>()

interface Started {
  readonly calls: WorkerCalls
  /** Why the module cannot be used. */
  readonly problem: Promise<string | undefined>
}

/**
 * Starts the worker thread that the next `moduleAgent` of the same file uses, and loads the file there. It
 * does not keep this process alive.
 */
export function prewarmModule(options: ModuleAgentOptions): void {
  const modulePath = resolve(options.root, options.path)
  if (prewarmedModules.has(modulePath) || !isFile(modulePath)) return
  prewarmedModules.set(modulePath, startCalls(modulePath, options, false))
}

function startCalls(
  modulePath: string,
  { timeoutMs, concurrency, redact }: ModuleAgentOptions,
  holds = true,
): Started {
  const workerPath = builtModulePath('agent/module-worker.js')
  const calls = new WorkerCalls({ workerPath, modulePath, timeoutMs, concurrency, redact })
  return { calls, problem: calls.start(holds) }
}

function takePrewarmed(modulePath: string): Started | undefined {
  const spare = prewarmedModules.get(modulePath)
  prewarmedModules.delete(modulePath)
  spare?.calls.hold(true)
  return spare
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

/**
 * Creates an agent from a JavaScript file of the user, run in a worker thread: its output is kept for error
 * messages, and a call that hangs or ends the worker affects no other call. Throws
 * `AutotestError('agent_invalid')` if the file is missing, cannot be loaded or exports no function.
 */
export async function moduleAgent(options: ModuleAgentOptions): Promise<Agent> {
  const { path, root, kbFolder, deterministic, redact } = options
  const modulePath = resolve(root, path)
  const hint = 'It must be a JavaScript file: export default (request) => ({ type: "sql", sql: "SELECT …" })'
  if (!existsSync(modulePath))
    throw new AutotestError('agent_invalid', `agent ${path} does not exist`, { hint })
  const kind = kindOf(statSync(modulePath))
  if (kind !== undefined)
    throw new AutotestError('agent_invalid', `agent ${path} is ${kind}, not a file`, { hint })
  const started = takePrewarmed(modulePath) ?? startCalls(modulePath, options)
  const { calls } = started
  const problem = await started.problem
  if (problem !== undefined) {
    const line = problem.startsWith('SyntaxError') ? await syntaxErrorLine(modulePath) : ''
    throw new AutotestError('agent_invalid', `agent ${path}${line} cannot be used: ${problem}`, { hint })
  }
  const copies = createMaterializer(kbFolder)
  const name = `module:${path}`
  return {
    name,
    deterministic,
    ask: (question, snapshot, signal) =>
      sampleExternalAgent(name, copies, snapshot, redact, async (kb): Promise<Outcome> => {
        const outcome = await calls.call(requestFor(question, kb), signal)
        if (outcome.kind === 'answer')
          return readAnswer(outcome.answer, () => redact(inspect(outcome.answer, { depth: 2 })))
        return { kind: 'error', message: outcome.message, detail: outcome.detail }
      }),
    async close() {
      await calls.close()
      copies.close()
    },
  }
}

/** Returns `:3` for an error on line 3, which Node only prints; nothing if the error is in an import. */
function syntaxErrorLine(modulePath: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['--check', modulePath], (_error, _stdout, stderr) =>
      resolve(/^.*(:\d+)$/m.exec(stderr)?.[1] ?? ''),
    )
  })
}
