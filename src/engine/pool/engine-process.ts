import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { builtModulePath } from '../../platform/built-module.js'
import type { Reply, Request } from '../child/protocol.js'

/** Why a child ended: the end of its standard error, else its signal or exit code. */
export interface ProcessDeath {
  readonly kind: 'died'
  readonly reason: string
}

export type ProcessAnswer = { readonly kind: 'reply'; readonly reply: Reply } | ProcessDeath

/** Environment variables that an engine needs; everything else, above all keys and passwords, is withheld. */
const allowedVariables = ['PATH', 'LANG', 'LC_ALL', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LD_LIBRARY_PATH']

/** Kept small: a child holds one result at a time, and lives as long as the run. */
const nodeFlags = ['--max-semi-space-size=2', '--no-warnings']

const stderrKept = 2000

/** One warm child process that answers requests in their order, one at a time. */
export class EngineProcess {
  private readonly child: ChildProcess
  private readonly pending: ((answer: ProcessAnswer) => void)[] = []
  private death: ProcessDeath | undefined
  private stderr = ''
  private killed = false
  /** Resolves when the operating system has reaped it. */
  readonly ended: Promise<void>

  constructor(scheme: string) {
    this.child = takeWarmProcess(scheme) ?? startChild(scheme)
    this.ended = new Promise((resolve) => {
      const end = (reason: string) => {
        this.death ??= { kind: 'died', reason }
        for (const _ of [...this.pending]) this.settle(this.death)
        resolve()
      }
      this.child.once('error', (error) => end(error.message))
      this.child.once('exit', (code, signal) => end(lastLine(this.stderr) ?? `ended with ${signal ?? code}`))
    })
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-stderrKept)
    })
    this.child.on('message', (message) => {
      if (isReply(message)) this.settle({ kind: 'reply', reply: message })
    })
  }

  get alive(): boolean {
    return this.death === undefined
  }

  /** Sends a request and waits for its answer; never rejects. */
  request(request: Request): Promise<ProcessAnswer> {
    if (this.death !== undefined) return Promise.resolve(this.death)
    return new Promise((resolve) => {
      this.pending.push(resolve)
      this.hold(true)
      // A child that dies now is reported by its exit.
      this.child.send(request, (error) => this.noteSendError(error))
    })
  }

  /** Returns resident memory in bytes, if the operating system provides it cheaply; else undefined. */
  residentBytes(): number | undefined {
    if (process.platform !== 'linux' || this.child.pid === undefined) return undefined
    try {
      const kibibytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))?.[1]
      return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
    } catch {
      // It ended between two checks; its exit is reported elsewhere.
      return undefined
    }
  }

  /** Kills immediately: a running SQLite statement cannot be interrupted. */
  kill(): void {
    // Keeps this process alive until the child is reaped; otherwise it could end before the child.
    this.killed = true
    if (this.death === undefined) this.child.ref()
    this.child.kill('SIGKILL')
  }

  private settle(answer: ProcessAnswer): void {
    const resolve = this.pending.shift()
    if (this.pending.length === 0) this.hold(false)
    resolve?.(answer)
  }

  /** Makes only a working child keep the parent's event loop alive. */
  private hold(working: boolean): void {
    // A last reply may arrive after the kill: its process is still awaited.
    if (this.killed && this.death === undefined) return
    setEventLoopHold(this.child, working)
  }

  private noteSendError(error: Error | null): void {
    if (error !== null && this.stderr === '') this.stderr = error.message
  }
}

function startChild(scheme: string): ChildProcess {
  return fork(builtModulePath('engine/child/main.js'), [scheme], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: nodeFlags,
    env: environment(process.env),
  })
}

/** Started and unused children, by scheme. */
const spares = new Map<string, ChildProcess>()

/**
 * Starts a child that the next `EngineProcess` of the scheme uses; it ends with this process, used or not.
 */
export function prewarmProcess(scheme: string): void {
  if (spares.has(scheme)) return
  const child = startChild(scheme)
  // Its user handles errors; until then the child is just not used.
  child.on('error', () => spares.delete(scheme))
  child.once('exit', () => spares.delete(scheme))
  setEventLoopHold(child, false)
  spares.set(scheme, child)
}

function takeWarmProcess(scheme: string): ChildProcess | undefined {
  const child = spares.get(scheme)
  spares.delete(scheme)
  return child?.connected === true ? child : undefined
}

function environment(parent: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = allowedVariables.flatMap((name) => {
    const value = parent[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  // UTC, so that zoned timestamps are equal on every machine; few arenas, so that freed memory is returned.
  return { ...Object.fromEntries(kept), TZ: 'UTC', MALLOC_ARENA_MAX: '2' }
}

/** Sets whether a child keeps this process's event loop alive. */
function setEventLoopHold(child: ChildProcess, holds: boolean): void {
  for (const handle of [child, child.channel, child.stderr]) {
    if (!isRefable(handle)) continue
    if (holds) handle.ref()
    else handle.unref()
  }
}

function isRefable(handle: unknown): handle is { ref(): void; unref(): void } {
  return typeof handle === 'object' && handle !== null && 'ref' in handle && 'unref' in handle
}

function isReply(message: unknown): message is Reply {
  return typeof message === 'object' && message !== null && 'body' in message && 'residentBytes' in message
}

function lastLine(text: string): string | undefined {
  const errors = text.split('\n').filter((line) => /error|what\(\)/i.test(line))
  return errors.at(-1)?.trim()
}
