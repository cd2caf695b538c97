import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { runInHost } from './cli-host.js'

const repository = resolve(import.meta.dirname, '../..')
export const cli = join(repository, 'dist/cli/main.js')

const folders: string[] = []

/** A new empty folder, removed by `removeFolders`. */
export function scratchFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'autotest-e2e-'))
  folders.push(dir)
  return dir
}

export function removeFolders(): void {
  for (const dir of folders.splice(0)) rmSync(dir, { recursive: true, force: true })
}

/** A copy of the sample project, without its database. */
export function sampleCopy(): string {
  const dir = scratchFolder()
  for (const part of ['benchmarks', 'kb', 'agents', 'data', 'autotest.config.yaml']) {
    cpSync(join(process.env['AUTOTEST_SAMPLE'] ?? repository, part), join(dir, part), {
      recursive: true,
      filter: (path) => !/\.duckdb(\.|$)/.test(path),
    })
  }
  return dir
}

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

type Environment = Readonly<Record<string, string>>

/** A program under way, what it has said so far, and what it says until its end. */
export interface Running {
  readonly pid: number
  readonly ended: Promise<Ended>
  /** Resolves once `text` was written; rejects where the program ends without. */
  says(text: string): Promise<void>
  send(text: string): void
  /** Ends its standard input. */
  end(): void
  kill(signal: NodeJS.Signals): void
}

/** Runs a command line without a terminal, in a process that tests share: most take longer to start than to run. */
export function autotest(cwd: string, args: readonly string[], env: Environment = {}): Promise<Ended> {
  return runInHost(cwd, args, { ...plainEnvironment(), ...env })
}

/** Runs the built command line without a terminal, in a process of its own. */
export function autotestProcess(cwd: string, args: readonly string[], env: Environment = {}): Promise<Ended> {
  return start(cwd, args, env).ended
}

/** Runs command lines one after the other, as `autotest` does. */
export function autotestEach(cwd: string, lines: readonly (readonly string[])[]): Promise<Ended[]> {
  return Promise.all(lines.map((args) => autotest(cwd, args)))
}

export function start(cwd: string, args: readonly string[], env: Environment = {}): Running {
  return running(spawn(process.execPath, [cli, ...args], { cwd, env: { ...plainEnvironment(), ...env } }))
}

/** Runs the built command line in a terminal of so many columns. */
export function inTerminal(
  cwd: string,
  args: readonly string[],
  columns = 100,
  more: Environment = {},
): Running {
  const command = `stty cols ${columns} rows 50; ${[process.execPath, cli, ...args].map(quoted).join(' ')}`
  const env = { ...plainEnvironment(), ...more, TERM: 'xterm', SHELL: '/bin/sh' }
  return running(spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { cwd, env }))
}

function running(child: ChildProcessWithoutNullStreams): Running {
  let out = ''
  let err = ''
  let waiting: (() => void)[] = []
  const look = (): void => {
    const all = waiting
    waiting = []
    for (const again of all) again()
  }
  child.stdout.on('data', (chunk) => {
    out += String(chunk)
    look()
  })
  child.stderr.on('data', (chunk) => {
    err += String(chunk)
    look()
  })
  const ended = new Promise<Ended>((done, fail) => {
    child.on('error', fail)
    child.on('close', (code) => {
      done({ code, out, err })
      look()
    })
  })
  return {
    pid: child.pid ?? 0,
    ended,
    says: (text) =>
      new Promise((done, fail) => {
        const check = (): void => {
          if (`${out}${err}`.includes(text)) done()
          else if (child.exitCode !== null) fail(new Error(`it ended without "${text}":\n${out}${err}`))
          else waiting.push(check)
        }
        check()
      }),
    send: (text) => void child.stdin.write(text),
    end: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** The environment without what a CI machine adds to the output. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { GITHUB_ACTIONS: _actions, CI: _ci, NO_COLOR: _color, FORCE_COLOR: _force, ...rest } = process.env
  return rest
}
