import { z } from 'zod'
import { AutotestError } from '../../errors.js'
import { functionContents } from '../../testgen/python/worker-results.js'
import { isTestFile, moduleNameOf } from '../../testgen/test-path.js'
import type { TestingSession } from '../testgen/testing-session.js'
import type { Registry, TestMapping } from './registry.js'

export interface SyncedRegistry {
  readonly registry: Registry
  readonly added: readonly string[]
  /** From one name to another, of functions with the same content. */
  readonly renamed: readonly (readonly [string, string])[]
  readonly removed: readonly string[]
  /** Files that could not be read. */
  readonly unread: readonly string[]
}

const timeoutMs = 30_000
const tested = z.array(
  z.object({ test: z.string(), functions: z.array(z.object({ module: z.string(), name: z.string() })) }),
)
/** Returns the registry as the files of a project say: which tests call which functions. What is known of a function goes with it when it is renamed. */
export async function syncRegistry(before: Registry, session: TestingSession): Promise<SyncedRegistry> {
  const { files, worker } = session
  const unread: string[] = []
  async function read<Result>(path: string, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      if (
        !(error instanceof AutotestError) ||
        error.code === 'python_stopped' ||
        error.code === 'interrupted'
      )
        throw error
      unread.push(path)
      return undefined
    }
  }
  const sources = files.filter(
    (path) => path.endsWith('.py') && !isTestFile(path) && !path.endsWith('conftest.py'),
  )
  const functions = new Map<string, string>()
  const modules = new Map<string, string>()
  for (const path of sources) {
    modules.set(moduleNameOf(path, files), path)
    const found = await read(path, () =>
      worker.call('function_contents', { path }, functionContents, timeoutMs),
    )
    for (const { qualname, content } of found ?? []) functions.set(`${path}::${qualname}`, content)
  }
  const mappings = new Map<string, { testFile: string; testNames: string[] }>()
  for (const path of files.filter(isTestFile)) {
    const tests = await read(path, () => worker.call('tested_functions', { path }, tested, timeoutMs))
    for (const { test, functions: called } of tests ?? []) {
      const target = called
        .map(({ module, name }) => targetOf(module, name, modules, functions, test))
        .find((each) => each !== undefined)
      if (target === undefined) continue
      const known = mappings.get(target)
      if (known === undefined) mappings.set(target, { testFile: path, testNames: [test] })
      else if (known.testFile === path) known.testNames.push(test)
    }
  }
  return { ...merged(before, mappings, functions), unread }
}

/** Returns the function that a test calls: by its name, or a method of the class that it makes. */
function targetOf(
  module: string,
  name: string,
  modules: ReadonlyMap<string, string>,
  functions: ReadonlyMap<string, string>,
  test: string,
): string | undefined {
  const path = modules.get(module)
  if (path === undefined) return undefined
  const full = `${path}::${name}`
  if (functions.has(full)) return full
  const methods = [...functions.keys()].filter((each) => each.startsWith(`${full}.`))
  return (
    methods.find((each) => test.includes(each.slice(full.length + 1))) ??
    methods.find((each) => each.endsWith('.__init__'))
  )
}

function merged(
  before: Registry,
  mappings: ReadonlyMap<string, Pick<TestMapping, 'testFile' | 'testNames'>>,
  functions: ReadonlyMap<string, string>,
): Omit<SyncedRegistry, 'unread'> {
  const gone = [...before.keys()].filter((name) => !functions.has(name))
  const renamed: (readonly [string, string])[] = []
  const registry = new Map<string, TestMapping>()
  for (const [name, found] of mappings) {
    const content = functions.get(name)
    const known = before.get(name)
    const former =
      known === undefined ? gone.find((each) => before.get(each)?.content === content) : undefined
    if (former !== undefined) renamed.push([former, name])
    const { generatedAt } = known ?? (former === undefined ? undefined : before.get(former)) ?? {}
    registry.set(name, { ...found, generatedAt, content })
  }
  // Tests that still call a renamed function by its former name fail; they belong to it all the same.
  for (const name of gone) {
    const known = before.get(name)
    const now = [...functions].find(
      ([other, content]) => content === known?.content && !registry.has(other),
    )?.[0]
    if (known === undefined || now === undefined || renamed.some(([from]) => from === name)) continue
    renamed.push([name, now])
    registry.set(now, { ...known })
  }
  const moved = new Set(renamed.flat())
  return {
    registry,
    renamed,
    added: [...registry.keys()].filter((name) => !before.has(name) && !moved.has(name)),
    removed: [...before.keys()].filter((name) => !registry.has(name) && !moved.has(name)),
  }
}
