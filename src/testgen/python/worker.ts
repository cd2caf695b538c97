import { channel } from 'node:diagnostics_channel'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { AutotestError } from '../../errors.js'
import { builtModulePath } from '../../platform/built-module.js'
import { makeTemporaryFolder } from '../../platform/temporary-folder.js'
import type { Sandbox } from '../../sandbox/sandbox-access.js'
import { startSandboxed } from '../../sandbox/start-sandboxed.js'
import { lastLine } from '../../text/last-line.js'
import { parseJson } from '../../text/parse-json.js'
import type { PythonInstallation } from './python-installation.js'
import { createSignedLines } from './signed-lines.js'

/** The project's Python in the sandbox, which reads functions, makes mutants and runs tests. */
export interface PythonWorker {
  /**
   * Calls a function of the worker. Throws `AutotestError`: `python_…` for what the project's code or a file makes
   * impossible, `python_stopped` if the worker ended or passed the deadline, `python_forged` if what it ran answered for itself.
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
  /** Seed of the hashes of texts, which decides the order of sets; absent: 0. */
  readonly hashSeed?: number | undefined
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
  hashSeed = 0,
}: PythonWorkerOptions): PythonWorker {
  const code = builtModulePath('python')
  const temporary = makeTemporaryFolder('autotest-temporary-')
  const { child, end: kill } = startSandboxed({
    sandbox,
    command: [python.executable, join(code, 'start_worker.py')],
    access: { workspace, writable, temporary, readable: [code, ...python.folders] },
    env: { ...workerEnvironment, PYTHONHASHSEED: String(hashSeed) },
  })
  const waiting = new Map<number, (text: Answer) => void>()
  let errors = ''
  let ended: AutotestError | undefined
  let next = 0
  const end = (error: AutotestError): void => {
    ended ??= error
    for (const resolve of waiting.values()) resolve({ ended: error })
    waiting.clear()
  }
  child.stderr.on('data', (part: Buffer) => {
    errors = (errors + part.toString('utf8')).slice(-keptErrors)
  })
  child.on('error', (error) => end(stoppedError(error.message)))
  child.on('close', (status, by) => end(stoppedError(describeEnd(status, by, errors))))
  child.stdin.on('error', () => undefined)
  const lines = createSignedLines()
  child.stdin.write(lines.key)
  createInterface({ input: child.stdout }).on('line', (line) => {
    const text = lines.read(line)
    const read = text === undefined ? undefined : answer.safeParse(parseJson(text))
    if (read?.success !== true) {
      end(forgedError('the pipe of the harness holds a line of somebody else'))
      kill()
      return
    }
    waiting.get(read.data.id)?.(read.data)
    waiting.delete(read.data.id)
  })
  const onAbort = (): void => {
    end(stoppedError('interrupted'))
    kill()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  return {
    async call(method, params, result, timeoutMs) {
      signal.throwIfAborted()
      if (ended !== undefined) throw ended
      const id = next++
      const started = performance.now()
      const answered = await new Promise<Answer>((resolve) => {
        const timer = setTimeout(() => {
          end(stoppedError(`no answer to ${method} in ${Math.round(timeoutMs / 1000)} s`))
          kill()
        }, timeoutMs)
        waiting.set(id, (found) => {
          clearTimeout(timer)
          resolve(found)
        })
        child.stdin.write(lines.sign(JSON.stringify({ id, method, params })))
      })
      calls.publish({ method, ms: performance.now() - started })
      signal.throwIfAborted()
      if ('ended' in answered) throw answered.ended
      if ('error' in answered) {
        const error = workerError(answered.error)
        // What it changed is there for the next call.
        if (error.code === 'python_forged') {
          end(error)
          kill()
        }
        throw error
      }
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

type Answer = z.output<typeof answer> | { readonly ended: AutotestError }

/** Nothing of the user's environment: it may hold secrets, and a test must not depend on it. */
const workerEnvironment: Readonly<Record<string, string>> = {
  PATH: '/usr/bin:/bin',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  HOME: '/tmp',
  TZ: 'UTC',
  // A test could write packages to the home that it is given.
  PYTHONNOUSERSITE: '1',
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONUTF8: '1',
  PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
}

function describeEnd(status: number | null, by: NodeJS.Signals | null, errors: string): string {
  const how = by === null ? `exit code ${status}` : `signal ${by}`
  const last = lastLine(errors)
  return last === '' ? how : `${how}: ${last}`
}

function stoppedError(reason: string): AutotestError {
  return new AutotestError('python_stopped', `the project's Python stopped: ${reason}`)
}

function forgedError(how: string): AutotestError {
  return new AutotestError('python_forged', `the test process answered for itself: ${how}`, {
    hint: 'Look at what the tests run: code that ends, replaces or reports on the process that tests it.',
  })
}

/** Returns an error of the worker, by the kind of what it could not do. */
function workerError({ kind, message }: { kind: string; message: string }): AutotestError {
  if (kind === 'syntax') return new AutotestError('python_syntax', message)
  if (kind === 'timeout')
    return new AutotestError('python_timeout', `the code did not end in its time (${message})`)
  if (kind === 'forged') return forgedError(message)
  if (kind === 'unsuitable') return new AutotestError('python_failed', message)
  if (kind === 'FileNotFoundError') return new AutotestError('python_file', message)
  return new AutotestError('python_failed', `${kind}: ${message}`)
}
