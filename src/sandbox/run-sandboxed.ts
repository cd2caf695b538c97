import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { type SandboxedStart, startSandboxed } from './start-sandboxed.js'

/** What a command reads, and where it writes: bytes are passed on, and never the descriptors themselves. */
export interface CommandStreams {
  readonly input: Readable
  readonly output: Writable
  readonly errors: Writable
}

export interface CommandLimits {
  readonly timeoutMs: number
  readonly streams: CommandStreams
  readonly signal: AbortSignal
}

/** How a command ended that did not end in its time: as `timeout` of coreutils says it. */
const timedOutCode = 124

export interface CommandEnd {
  /** Of the command; 128 and the number of the signal that ended it; 124 if it passed its deadline. */
  readonly exitCode: number
  /** Whether it was ended at its deadline. */
  readonly isLate: boolean
}

/** Runs a command in a sandbox, and passes on what it reads and writes. */
export function runSandboxed(
  start: SandboxedStart,
  { timeoutMs, streams: { input, output, errors }, signal }: CommandLimits,
): Promise<CommandEnd> {
  signal.throwIfAborted()
  const { child, end } = startSandboxed(start)
  return new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      end()
    }, timeoutMs)
    signal.addEventListener('abort', end, { once: true })
    // A terminal that is gone: nobody can see what the command does.
    for (const stream of [output, errors]) stream.once('error', end)
    // A command that reads nothing closes its end.
    child.stdin.on('error', () => undefined)
    input.pipe(child.stdin)
    child.stdout.pipe(output, { end: false })
    child.stderr.pipe(errors, { end: false })
    const settle = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      for (const stream of [output, errors]) stream.off('error', end)
      input.unpipe(child.stdin)
      input.pause()
      // A terminal that nobody reads must not keep this program running.
      if ('unref' in input && typeof input.unref === 'function') input.unref()
    }
    child.on('error', (error) => {
      settle()
      reject(error)
    })
    child.on('close', (code, by) => {
      settle()
      const exitCode = code ?? 128 + (by === null ? 0 : constants.signals[by])
      resolve({ exitCode: isLate ? timedOutCode : exitCode, isLate })
    })
  })
}
