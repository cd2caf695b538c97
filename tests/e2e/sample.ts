import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

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

/** Runs the built command line without a terminal. */
export function autotest(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [cli, ...args], {
      cwd,
      env: { ...withoutCi(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => {
      out += String(chunk)
    })
    child.stderr.on('data', (chunk) => {
      err += String(chunk)
    })
    child.on('error', fail)
    child.on('close', (code) => done({ code, out, err }))
  })
}

/** The environment without what a CI machine adds to the output. */
function withoutCi(): NodeJS.ProcessEnv {
  const { GITHUB_ACTIONS: _actions, CI: _ci, ...rest } = process.env
  return rest
}
