import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import { z } from 'zod'
import { AutotestError } from '../../errors.js'
import type { PythonInstallation } from '../../testgen/python/python-installation.js'
import { lastLine } from '../../text/last-line.js'
import { parseJson } from '../../text/parse-json.js'
import { interpreterEnvironment } from './interpreter-environment.js'
import { interpreterIn, localEnvironments } from './local-environments.js'

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
 * Returns the project's Python: the one configured, that of an active virtual environment or a local one that did not come with the repository, or the
 * one on PATH. Throws `AutotestError('python_missing')` with the way to get it.
 */
export async function findPython({ root, configured, env }: PythonSearch): Promise<PythonInstallation> {
  const candidates =
    configured === undefined
      ? await candidatesIn(root, env)
      : [{ command: configured, source: 'tests.python' }]
  const refusals: string[] = []
  const passedOver: string[] = []
  for (const { command, source, problem } of candidates) {
    if (problem !== undefined) {
      passedOver.push(
        `${relative(root, command)} is ${problem}: to use it, name it with --python or tests.python`,
      )
      refusals.push(`${command} (${source}): ${problem}`)
      continue
    }
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
    const unique = [...new Set(folders)]
    return { executable, version, pytest: pytest ?? undefined, source, passedOver, folders: unique }
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

/** A program to try, and why it is. */
interface Candidate {
  readonly command: string
  readonly source: string
  /** Why it is not started. */
  readonly problem?: string | undefined
}

async function candidatesIn(root: string, env: PythonSearch['env']): Promise<readonly Candidate[]> {
  const active = env['VIRTUAL_ENV']
  const local = (await localEnvironments(root)).map(({ file, folder, problem }) => ({
    ...{ command: file, source: folder, problem },
  }))
  const onPath = ['python3', 'python'].flatMap((name) =>
    (env['PATH'] ?? '')
      .split(delimiter)
      .filter((folder) => folder !== '')
      .map((folder) => join(folder, name))
      .filter((file) => existsSync(file))
      .map((command) => ({ command, source: 'PATH' })),
  )
  return [
    ...(active === undefined || active === ''
      ? []
      : [{ command: interpreterIn(active), source: 'VIRTUAL_ENV' }]),
    ...local,
    ...onPath,
  ]
}

/** Returns what an interpreter says of itself, or in words why it cannot be used. */
function describe(
  command: string,
  cwd: string,
  env: PythonSearch['env'],
): Promise<z.output<typeof described> | string> {
  const options = { cwd, env: interpreterEnvironment(env), timeout: startTimeoutMs, maxBuffer: 1_000_000 }
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
export function requirePytest({ executable, version, pytest, source, passedOver }: PythonInstallation): void {
  if (pytest !== undefined) return
  // A system's own Python refuses what pip installs into it (PEP 668); an environment in the project is found there.
  const install =
    source === 'PATH'
      ? `${executable} -m venv .venv && .venv/bin/python -m pip install pytest`
      : `${executable} -m pip install pytest`
  const seen = passedOver.length === 0 ? '' : ` (${passedOver.join('; ')})`
  throw new AutotestError('pytest_missing', `${executable} (Python ${version}) has no pytest${seen}`, {
    hint: `Install it: ${install} (Debian's own Python: apt-get install python3-pytest), or name another interpreter with --python.`,
  })
}

/** Returns why an interpreter was chosen, and which of the project were not started before it. */
export function sourceText({ source, passedOver }: PythonInstallation): string {
  return [source, ...passedOver].join('; ')
}
