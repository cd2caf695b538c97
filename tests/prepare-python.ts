import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { findPython } from '../src/app/project/find-python.js'
import { sandboxLadder, trySandbox } from '../src/sandbox/sandbox.js'
import type { Sandbox } from '../src/sandbox/sandbox-access.js'
import type { PythonInstallation } from '../src/testgen/python/python-installation.js'
import { lastLine } from '../src/text/last-line.js'

const requirements = resolve(import.meta.dirname, 'python-requirements.txt')
/** Of this clone: `npm ci` removes it. */
const cache = resolve(import.meta.dirname, '../node_modules/.cache/autotest-tests')

/** What this machine has to run a project's tests with. */
export interface PreparedPython {
  /** With pytest; absent if there is none. */
  readonly python?: PythonInstallation
  /** Why a sandbox does not hold here, by its name: it has none where it does. */
  readonly sandboxProblems: Readonly<Partial<Record<Sandbox['name'], string>>>
  /** What is missing, in words; absent if nothing is. */
  readonly problem?: string
}

declare module 'vitest' {
  interface ProvidedContext {
    python: PreparedPython
  }
}

/**
 * Finds a Python as for any project, and gives it an environment with pytest, made once: it is active in what is started
 * from here. Where none can be made, a pytest that the interpreter has will do.
 */
export async function preparePython(): Promise<PreparedPython> {
  let found: PythonInstallation
  try {
    found = await findPython({ root: tmpdir(), env: process.env })
  } catch (error) {
    return { sandboxProblems: {}, problem: wordsOf(error) }
  }
  const { environment, problem } = await makeEnvironment(found, cache, process.env)
  if (environment !== undefined) {
    process.env['VIRTUAL_ENV'] = environment
    process.env['PATH'] = [join(environment, bin), process.env['PATH'] ?? ''].join(delimiter)
  } else if (found.pytest === undefined) {
    const name = `${found.executable} (Python ${found.version})`
    return { sandboxProblems: {}, problem: `${name} has no pytest, and none can be installed: ${problem}` }
  } else {
    console.warn(
      `tests use pytest ${found.pytest} of ${found.executable}, not the one that is locked: ${problem}`,
    )
  }
  const python = await findPython({ root: tmpdir(), env: process.env })
  const sandboxProblems: Partial<Record<Sandbox['name'], string>> = {}
  const host = { python, env: process.env }
  const ladder = sandboxLadder(host)
  for (const rung of ladder) {
    const tried = await trySandbox(rung, host)
    if (typeof tried === 'string') sandboxProblems[rung.name] = tried
  }
  const none = ladder.every(({ name }) => name in sandboxProblems)
  return {
    python,
    sandboxProblems,
    ...(none && { problem: `no sandbox: ${Object.values(sandboxProblems).join(', ')}` }),
  }
}

const bin = process.platform === 'win32' ? 'Scripts' : 'bin'

/** Returns a virtual environment with what is locked, in a folder for each interpreter, or in words why there is none. */
export async function makeEnvironment(
  { executable, version }: Pick<PythonInstallation, 'executable' | 'version'>,
  cache: string,
  env: NodeJS.ProcessEnv,
): Promise<{ environment?: string; problem?: string }> {
  const key = createHash('sha256')
    .update(`${readFileSync(requirements, 'utf8')}\n${executable}\n${version}`)
    .digest('hex')
  const environment = join(cache, `python-${key.slice(0, 16)}`)
  // Written last: one that was cut off is made again.
  const complete = join(environment, 'complete')
  if (existsSync(complete)) return { environment }
  try {
    rmSync(environment, { recursive: true, force: true })
    await run(executable, ['-c', 'import ensurepip, venv'], env, 60_000)
    await run(executable, ['-m', 'venv', environment], env, 120_000)
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '2']
    const locked = ['--require-hashes', '--only-binary', ':all:', '--no-deps', '--requirement', requirements]
    await run(join(environment, bin, 'python'), [...install, ...locked], env, 300_000)
    writeFileSync(complete, '')
    return { environment }
  } catch (error) {
    rmSync(environment, { recursive: true, force: true })
    return { problem: wordsOf(error) }
  }
}

const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv, timeout: number) =>
  promisify(execFile)(program, args, { env, timeout })

/** Returns the last thing that a program said, or the message of an error. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { stderr, stdout } = error as { stderr?: string; stdout?: string }
  // What pip says last is what it did not find for that.
  if (stderr?.includes('connection broken by')) return 'no package registry can be reached'
  return lastLine(stderr ?? '') || lastLine(stdout ?? '') || error.message
}
