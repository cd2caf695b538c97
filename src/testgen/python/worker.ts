import { channel } from 'node:diagnostics_channel'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { AutotestError } from '../../errors.js'
import { builtModulePath } from '../../platform/built-module.js'
import { makeTemporaryFolder } from '../../platform/temporary-folder.js'
import type { Sandbox } from '../../sandbox/sandbox-access.js'
import { startSandboxed } from '../../sandbox/start-sandboxed.js'
import { lastLine } from '../../text/last-line.js'
import { parseJson } from '../../text/parse-json.js'
import type { PythonInstallation } from './find-python.js'

/** The project's Python in the sandbox, which reads functions, makes mutants and runs tests. */
export interface PythonWorker {
  /**
   * Calls a function of the worker. Throws `AutotestError`: `python_…` for what the project's code or a file makes
   * impossible, `python_stopped` if the worker ended or passed the deadline.
   */
  call<T>(
    method: string,
    params: Readonly<Record<string, unknown>>,
    result: z.ZodType<T>,
    timeoutMs: number,
  ): Promise<T>
  close(): Promise<void>
}

export interface PythonWorkerOptions {
  readonly python: PythonInstallation
  readonly sandbox: Sandbox
  /** Absolute path of the copy that it works in. */
  readonly workspace: string
  /** Folders in it that may be written to, absolute, and which exist; absent: all of it. */
  readonly writable?: readonly string[] | undefined
  readonly signal: AbortSignal
}

const answer = z.union([
  z.object({ id: z.int(), result: z.unknown() }),
  z.object({ id: z.int(), error: z.object({ kind: z.string(), message: z.string() }) }),
])

/** Tells how long each call of a project's Python took: `{ method, ms }`. */
const calls = channel('autotest:python-call')

/** How much of what it writes to standard error is kept. */
const keptErrors = 4000

export function startPythonWorker({
  python,
  sandbox,
  workspace,
  writable,
  signal,
}: PythonWorkerOptions): PythonWorker {
  const code = builtModulePath('python')
  const temporary = makeTemporaryFolder('autotest-temporary-')
  const { child, end: kill } = startSandboxed({
    sandbox,
    command: [python.executable, '-m', 'autotest_worker'],
    access: { workspace, writable, temporary, readable: [code, ...python.folders] },
    env: workerEnvironment(code),
  })
  const waiting = new Map<number, (text: Answer) => void>()
  let errors = ''
  let ended: string | undefined
  let next = 0
  const end = (reason: string): void => {
    ended ??= reason
    for (const resolve of waiting.values()) resolve({ ended })
    waiting.clear()
  }
  child.stderr.on('data', (part: Buffer) => {
    errors = (errors + part.toString('utf8')).slice(-keptErrors)
  })
  child.on('error', (error) => end(error.message))
  child.on('close', (status, by) => end(describeEnd(status, by, errors)))
  child.stdin.on('error', () => undefined)
  createInterface({ input: child.stdout }).on('line', (line) => {
    const read = answer.safeParse(parseJson(line))
    if (!read.success) return
    waiting.get(read.data.id)?.(read.data)
    waiting.delete(read.data.id)
  })
  const onAbort = (): void => {
    end('interrupted')
    kill()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  return {
    async call(method, params, result, timeoutMs) {
      signal.throwIfAborted()
      if (ended !== undefined) throw stoppedError(ended)
      const id = next++
      const started = performance.now()
      const answered = await new Promise<Answer>((resolve) => {
        const timer = setTimeout(() => {
          end(`no answer to ${method} in ${Math.round(timeoutMs / 1000)} s`)
          kill()
        }, timeoutMs)
        waiting.set(id, (found) => {
          clearTimeout(timer)
          resolve(found)
        })
        child.stdin.write(`${JSON.stringify({ id, method, params })}\n`)
      })
      calls.publish({ method, ms: performance.now() - started })
      signal.throwIfAborted()
      if ('ended' in answered) throw stoppedError(answered.ended)
      if ('error' in answered) throw workerError(answered.error)
      return result.parse(answered.result)
    },
    async close() {
      signal.removeEventListener('abort', onAbort)
      if (child.exitCode === null && child.signalCode === null) {
        const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
        kill()
        await closed
      }
      await rm(temporary, { recursive: true, force: true })
    },
  }
}

type Answer = z.output<typeof answer> | { readonly ended: string }

/** Nothing of the user's environment: it may hold secrets, and a test must not depend on it. */
function workerEnvironment(code: string): Record<string, string> {
  return {
    PATH: '/usr/bin:/bin',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    HOME: '/tmp',
    TZ: 'UTC',
    PYTHONPATH: code,
    PYTHONHASHSEED: '0',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUTF8: '1',
    PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
  }
}

function describeEnd(status: number | null, by: NodeJS.Signals | null, errors: string): string {
  const how = by === null ? `exit code ${status}` : `signal ${by}`
  const last = lastLine(errors)
  return last === '' ? how : `${how}: ${last}`
}

function stoppedError(reason: string): AutotestError {
  return new AutotestError('python_stopped', `the project's Python stopped: ${reason}`)
}

/** Returns an error of the worker, by the kind of what it could not do. */
function workerError({ kind, message }: { kind: string; message: string }): AutotestError {
  if (kind === 'syntax') return new AutotestError('python_syntax', message)
  if (kind === 'timeout')
    return new AutotestError('python_timeout', `the code did not end in its time (${message})`)
  if (kind === 'unsuitable') return new AutotestError('python_failed', message)
  if (kind === 'FileNotFoundError') return new AutotestError('python_file', message)
  return new AutotestError('python_failed', `${kind}: ${message}`)
}
