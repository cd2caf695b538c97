import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { z } from 'zod'
import { AutotestError } from '../../errors.js'
import { lastLine } from '../../text/last-line.js'
import { parseJson } from '../../text/parse-json.js'

/** The Python with which a project's tests are run. */
export interface PythonInstallation {
  /** The interpreter itself, never a shim in front of it. */
  readonly executable: string
  /** `3.11.7`. */
  readonly version: string
  /** The version of pytest; undefined if it is not installed. */
  readonly pytest: string | undefined
  /** Why this one was chosen: `tests.python`, `VIRTUAL_ENV`, `.venv`, `PATH`. */
  readonly source: string
  /** Folders that the interpreter reads its own files and its packages from, absolute. */
  readonly folders: readonly string[]
}

const oldestVersion = [3, 9] as const
const startTimeoutMs = 20_000

const described = z.object({
  executable: z.string(),
  version: z.tuple([z.int(), z.int(), z.int()]),
  folders: z.array(z.string()),
  pytest: z.string().nullable(),
})

/** Written for every Python, so that one that is too old can say its version. */
const describeScript = `
import sys
import os
# Nothing of the project, where this starts: its json.py or pytest.py would run with the user's rights.
searched = [each for each in sys.path if each]
root = os.path.realpath(os.getcwd()) + os.sep
prefix = os.path.realpath(sys.prefix) + os.sep
def own(path):
    path = os.path.realpath(path) + os.sep
    return path.startswith(root) and not (prefix.startswith(root) and path.startswith(prefix))
sys.path[:] = [each for each in searched if not own(each)]
import json
try:
    import pytest
    found = pytest.__version__
except Exception:
    found = None
folders = [sys.prefix, sys.base_prefix, getattr(sys, "exec_prefix", sys.prefix), os.path.dirname(os.path.realpath(sys.executable))] if hasattr(sys, "base_prefix") else [sys.prefix]
folders += [each for each in searched if os.path.exists(each)]
# Outside of a virtual environment a link to an interpreter is as good as what it leads to, which the sandbox can see.
virtual = sys.prefix != getattr(sys, "base_prefix", sys.prefix)
print(json.dumps({"executable": sys.executable if virtual else os.path.realpath(sys.executable), "version": list(sys.version_info[:3]), "folders": folders, "pytest": found}))
`

export interface PythonSearch {
  /** The project's root. */
  readonly root: string
  /** As configured; absent: it is searched for. */
  readonly configured?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Returns the project's Python: the one configured, that of an active or a local virtual environment, or the one on
 * PATH. Throws `AutotestError('python_missing')` with the way to get it.
 */
export async function findPython({ root, configured, env }: PythonSearch): Promise<PythonInstallation> {
  const candidates =
    configured === undefined ? candidatesIn(root, env) : [[configured, 'tests.python'] as const]
  const refusals: string[] = []
  for (const [command, source] of candidates) {
    const found = await describe(command, root, env)
    if (typeof found === 'string') {
      refusals.push(`${command} (${source}): ${found}`)
      continue
    }
    const [major, minor] = found.version
    if (major < oldestVersion[0] || (major === oldestVersion[0] && minor < oldestVersion[1])) {
      refusals.push(`${found.executable} (${source}) is Python ${found.version.join('.')}`)
      continue
    }
    const { executable, pytest, folders } = found
    const version = found.version.join('.')
    return { executable, version, pytest: pytest ?? undefined, source, folders: [...new Set(folders)] }
  }
  const seen = refusals.length === 0 ? '' : ` (${refusals.join('; ')})`
  throw new AutotestError(
    'python_missing',
    `no Python ${oldestVersion.join('.')} or newer was found${seen}`,
    {
      hint: 'Install Python 3 (Debian: apt-get install python3 python3-pytest), or name an interpreter with --python.',
    },
  )
}

/** Returns programs to try, and why each of them. */
function candidatesIn(root: string, env: PythonSearch['env']): (readonly [string, string])[] {
  const bin = process.platform === 'win32' ? 'Scripts' : 'bin'
  const active = env['VIRTUAL_ENV']
  const local = ['.venv', 'venv', 'env'].map((folder) => [join(root, folder, bin, 'python'), folder] as const)
  const onPath = ['python3', 'python'].flatMap((name) =>
    (env['PATH'] ?? '')
      .split(delimiter)
      .filter((folder) => folder !== '')
      .map((folder) => join(folder, name))
      .filter((file) => existsSync(file))
      .map((file) => [file, 'PATH'] as const),
  )
  return [
    ...(active === undefined ? [] : [[join(active, bin, 'python'), 'VIRTUAL_ENV'] as const]),
    ...local.filter(([file]) => existsSync(file)),
    ...onPath,
  ]
}

/** Returns what an interpreter says of itself, or in words why it cannot be used. */
function describe(
  command: string,
  cwd: string,
  env: PythonSearch['env'],
): Promise<z.output<typeof described> | string> {
  const given = { ...env, PYTHONDONTWRITEBYTECODE: '1' }
  const options = { cwd, env: given, timeout: startTimeoutMs, maxBuffer: 1_000_000 }
  return new Promise((resolve) => {
    execFile(command, ['-c', describeScript], options, (error, stdout, stderr) => {
      if (error !== null) {
        resolve(
          error.killed === true
            ? `no answer in ${startTimeoutMs / 1000} s`
            : lastLine(stderr) || error.message,
        )
        return
      }
      const found = described.safeParse(parseJson(stdout))
      resolve(found.success ? found.data : `it does not answer as Python does: ${stdout.slice(0, 80)}`)
    })
  })
}

/** Throws `AutotestError('pytest_missing')` with the line that installs it for this interpreter. */
export function requirePytest({ executable, version, pytest, source }: PythonInstallation): void {
  if (pytest !== undefined) return
  // A system's own Python refuses what pip installs into it (PEP 668); an environment in the project is found there.
  const install =
    source === 'PATH'
      ? `${executable} -m venv .venv && .venv/bin/python -m pip install pytest`
      : `${executable} -m pip install pytest`
  throw new AutotestError('pytest_missing', `${executable} (Python ${version}) has no pytest`, {
    hint: `Install it: ${install} (Debian's own Python: apt-get install python3-pytest), or name another interpreter with --python.`,
  })
}
