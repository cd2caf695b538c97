import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Redactor } from '../text/secrets.js'
import { createTextTail } from './text-tail.js'

export interface ProcessOptions {
  /** Program and arguments. */
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** All of standard input. */
  readonly input: string
  readonly timeoutMs: number
  /** A process that writes more to standard output is killed. */
  readonly stdoutBytes: number
  /** How many bytes at the end of standard error are kept. */
  readonly stderrBytes: number
  readonly signal: AbortSignal
  /** Removes secrets from the kept standard error. */
  readonly redact: Redactor
}

export type ProcessEnd = { readonly stderr: string } & (
  | {
      readonly kind: 'exited'
      readonly code: number | null
      readonly signal: string | null
      readonly stdout: string
    }
  | { readonly kind: 'not_started'; readonly code: string | undefined; readonly message: string }
  | { readonly kind: 'timeout'; readonly timeoutMs: number }
  | { readonly kind: 'flood' }
  | { readonly kind: 'aborted' }
)

/** Runs a program until it ends, in its own process group that never outlives the call. Never rejects. */
export function runProcess(options: ProcessOptions): Promise<ProcessEnd> {
  const { command, cwd, env, input, timeoutMs, signal } = options
  if (signal.aborted) return Promise.resolve({ kind: 'aborted', stderr: '' })
  return new Promise((resolve) => {
    const child = start(command, { cwd, env })
    if (child instanceof Error) {
      resolve({ kind: 'not_started', code: codeOf(child), message: child.message, stderr: '' })
      return
    }
    const stderr = createTextTail(options.stderrBytes, options.redact)
    const stdout: Buffer[] = []
    let received = 0
    let running = true

    const finish = (end: DistributiveOmit<ProcessEnd, 'stderr'>): void => {
      clearTimeout(deadline)
      signal.removeEventListener('abort', onAbort)
      // After it has ended, its process id may belong to another process.
      if (running) killGroup(child)
      for (const stream of child.stdio) stream?.destroy()
      resolve({ ...end, stderr: stderr.text() })
    }
    const onAbort = (): void => finish({ kind: 'aborted' })
    const deadline = setTimeout(() => finish({ kind: 'timeout', timeoutMs }), timeoutMs)
    signal.addEventListener('abort', onAbort, { once: true })

    child.on('error', (error) => finish({ kind: 'not_started', code: codeOf(error), message: error.message }))
    child.stdout.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received > options.stdoutBytes) finish({ kind: 'flood' })
      else stdout.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk))
    // A child process that is still running would keep the pipes open, and `close` would wait for it.
    child.on('exit', () => {
      running = false
      killGroup(child)
    })
    child.on('close', (code, killedBy) =>
      finish({ kind: 'exited', code, signal: killedBy, stdout: Buffer.concat(stdout).toString('utf8') }),
    )
    // A program may answer without reading its input; the pipe then breaks, which is allowed.
    child.stdin.on('error', () => child.stdin.destroy())
    child.stdin.end(input)
  })
}

type DistributiveOmit<T, K extends string> = T extends unknown ? Omit<T, K> : never

/** Starts the program, or returns why it cannot be started; other failures arrive as its `error` event. */
function start(
  [program = '', ...args]: readonly string[],
  options: Pick<ProcessOptions, 'cwd' | 'env'>,
): ChildProcessWithoutNullStreams | Error {
  try {
    return spawn(program, args, { ...options, detached: true, stdio: 'pipe' })
  } catch (error) {
    if (error instanceof Error) return error
    throw error
  }
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Kills the program and everything it started that is still in its group. */
function killGroup(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    // ESRCH: every process of the group has ended. macOS returns EPERM for a group of zombies.
    const code = error instanceof Error ? codeOf(error) : undefined
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
