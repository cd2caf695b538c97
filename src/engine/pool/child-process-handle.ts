import { type ChildProcess, fork, type Serializable } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { builtModulePath } from '../../platform/built-module.js'

/** Why a child ended: the end of its standard error, else its signal or exit code. */
export interface ProcessDeath {
  readonly kind: 'died'
  readonly reason: string
}

/** Environment variables that an engine needs; everything else, above all keys and passwords, is withheld. */
const allowedVariables = ['PATH', 'LANG', 'LC_ALL', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LD_LIBRARY_PATH']

/** What a child needs besides that asks a server: the way to it. */
const networkVariables = [
  'NODE_USE_ENV_PROXY',
  'NODE_EXTRA_CA_CERTS',
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
]

/** Kept small: a child holds one result at a time, and lives as long as the run. */
const nodeFlags = ['--max-semi-space-size=2', '--no-warnings']

const stderrKept = 2000

/** A child process with a channel for messages, whose end is told once with its reason. */
export class ChildProcessHandle {
  readonly #child: ChildProcess
  #stderr = ''
  #isKilled = false
  death: ProcessDeath | undefined
  /** Resolves when the operating system has reaped it. */
  readonly ended: Promise<void>

  constructor(
    module: string,
    scheme: string,
    events: {
      readonly onMessage: (message: unknown) => void
      readonly onDeath: (death: ProcessDeath) => void
    },
  ) {
    this.#child = takeWarmProcess(scheme) ?? startChild(module, scheme)
    this.ended = new Promise((resolve) => {
      const end = (reason: string): void => {
        this.death ??= { kind: 'died', reason }
        events.onDeath(this.death)
        resolve()
      }
      this.#child.once('error', (error) => end(error.message))
      this.#child.once('exit', (code, signal) =>
        end(lastError(this.#stderr) ?? `ended with ${signal ?? code}`),
      )
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-stderrKept)
    })
    this.#child.on('message', events.onMessage)
  }

  send(message: Serializable): void {
    // A child that dies now is reported by its exit.
    this.#child.send(message, (error) => {
      if (error !== null && this.#stderr === '') this.#stderr = error.message
    })
  }

  /** Returns resident memory in bytes, if the operating system provides it cheaply; else undefined. */
  residentBytes(): number | undefined {
    if (process.platform !== 'linux' || this.#child.pid === undefined) return undefined
    try {
      const kibibytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8'))?.[1]
      return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
    } catch {
      // It ended between two checks; its exit is reported elsewhere.
      return undefined
    }
  }

  /** Kills immediately: a running SQLite statement cannot be interrupted. */
  kill(): void {
    // Keeps this process alive until the child is reaped; otherwise it could end before the child.
    this.#isKilled = true
    if (this.death === undefined) this.#child.ref()
    this.#child.kill('SIGKILL')
  }

  /** Makes only a working child keep the parent's event loop alive. */
  hold(working: boolean): void {
    // A last reply may arrive after the kill: its process is still awaited.
    if (this.#isKilled && this.death === undefined) return
    setEventLoopHold(this.#child, working)
  }
}

function startChild(module: string, scheme: string): ChildProcess {
  return fork(builtModulePath(module), [scheme], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: nodeFlags,
    env: environment(process.env, module.endsWith('server-main.js')),
  })
}

interface Spare {
  readonly child: ChildProcess
  /** Where it was started: queries may name files relative to it. */
  readonly folder: string
}

/** Started and unused children, by scheme. */
const spares = new Map<string, Spare>()

/** Starts a child that the next handle of the scheme uses; it ends with this process, used or not. */
export function prewarmChild(module: string, scheme: string): void {
  if (spares.has(scheme)) return
  const child = startChild(module, scheme)
  // Its user handles errors; until then the child is just not used.
  child.on('error', () => spares.delete(scheme))
  child.once('exit', () => spares.delete(scheme))
  setEventLoopHold(child, false)
  spares.set(scheme, { child, folder: process.cwd() })
}

function takeWarmProcess(scheme: string): ChildProcess | undefined {
  const spare = spares.get(scheme)
  spares.delete(scheme)
  if (spare?.child.connected !== true) return undefined
  if (spare.folder === process.cwd()) return spare.child
  spare.child.kill()
  return undefined
}

function environment(parent: NodeJS.ProcessEnv, asksServer: boolean): NodeJS.ProcessEnv {
  const allowed = asksServer ? [...allowedVariables, ...networkVariables] : allowedVariables
  const kept = allowed.flatMap((name) => {
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

function lastError(text: string): string | undefined {
  const errors = text.split('\n').filter((line) => /error|what\(\)/i.test(line))
  return errors.at(-1)?.trim()
}
