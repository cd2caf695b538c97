import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inject } from 'vitest'
import { sandboxLadder } from '../../src/sandbox/sandbox.js'
import type { Sandbox } from '../../src/sandbox/sandbox-access.js'
import type { PythonInstallation } from '../../src/testgen/python/python-installation.js'
import { type PythonWorker, startPythonWorker } from '../../src/testgen/python/worker.js'

/** What this machine has to run a project's tests with. */
export interface PythonHere {
  readonly python: PythonInstallation
  readonly sandbox: Sandbox
}

/** Returns what was prepared before the tests; undefined where something is missing, and `needsPython` leaves them out. */
export function findPythonHere(): PythonHere | undefined {
  const { python } = inject('python')
  const sandbox = sandboxesHere()[0]
  return python === undefined || sandbox === undefined ? undefined : { python, sandbox }
}

/** Returns the sandboxes that hold on this machine, the strongest first; none without a Python. */
export function sandboxesHere(): readonly Sandbox[] {
  const { python, sandboxProblems } = inject('python')
  if (python === undefined) return []
  return sandboxLadder({ python, env: process.env }).flatMap(({ name, sandbox }) =>
    typeof sandbox === 'string' || sandboxProblems[name] !== undefined ? [] : [sandbox],
  )
}

/** Returns a sandbox that holds on this machine; a test that calls this needs it. */
export function requireSandbox(name: Sandbox['name']): Sandbox {
  const found = sandboxesHere().find((sandbox) => sandbox.name === name)
  if (found === undefined) throw new Error(`there is no sandbox ${name}`)
  return found
}

/** Returns what was prepared; a test that calls this needs Python. */
export function requirePythonHere(): PythonHere {
  const here = findPythonHere()
  if (here === undefined) throw new Error('there is no Python')
  return here
}

/** Starts workers in folders with some files; `close` ends them and removes the folders. */
export function pythonWorkers(here: PythonHere | undefined): {
  start(files: Readonly<Record<string, string>>): PythonWorker
  close(): Promise<void>
} {
  const open: { close(): Promise<void> | void }[] = []
  return {
    start(files) {
      if (here === undefined) throw new Error('there is no Python')
      const project = pythonProject(files)
      open.push({ close: project.remove })
      const { signal } = new AbortController()
      const worker = startPythonWorker({ ...here, workspace: project.folder, signal })
      open.push(worker)
      return worker
    },
    async close() {
      for (const each of open.splice(0).reverse()) await each.close()
    },
  }
}

/** A folder with these files, and how to remove it. */
export function pythonProject(files: Readonly<Record<string, string>>): {
  folder: string
  has(path: string): boolean
  remove(): void
} {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-python-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return {
    folder,
    has: (path) => existsSync(join(folder, path)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A module with a function whose tests are worth something. */
export const pricing = `import functools


def calculate_total(price: float, quantity: int = 1, *, discount: float = 0.0) -> float:
    """The price of some items.

    >>> calculate_total(2.0, 3)
    6.0
    """
    if quantity < 0:
        raise ValueError("negative quantity")
    total = price * quantity
    return total - total * discount


class Cart:
    def __init__(self, items=None):
        self.items = list(items or [])

    @property
    def size(self) -> int:
        return len(self.items)

    @staticmethod
    def label(number: int) -> str:
        return "empty" if number == 0 else f"{number} items"

    @classmethod
    def of(cls, count: int) -> int:
        return len(cls(range(count)).items)

    def add(self, item: str) -> None:
        self.items.append(item)


@functools.lru_cache(maxsize=None)
def squares(limit: int) -> int:
    return sum(number * number for number in range(limit))


async def fetch(times: int) -> list[int]:
    return [each + 1 for each in range(times)]


def countdown(start: int):
    while start > 0:
        yield start
        start -= 1
`
