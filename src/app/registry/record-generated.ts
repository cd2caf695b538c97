import { AutotestError } from '../../errors.js'
import { functionContents } from '../../testgen/python/worker-results.js'
import type { Generated } from '../testgen/generate-tests.js'
import type { TestingSession } from '../testgen/testing-session.js'
import { readRegistry, writeRegistry } from './registry.js'

/** Tests that a function has got. */
export interface NewTests {
  /** Relative to the root. */
  readonly path: string
  readonly qualname: string
  readonly testFile: string
  readonly names: readonly string[]
}

/** Adds functions that have got tests to the registry of a project. */
export function recordGenerated(
  session: TestingSession,
  { functions }: Generated,
  now: () => Date,
): Promise<void> {
  const made = functions.map(({ target, testFile, names }) => ({
    ...{ path: target.path, qualname: target.description.qualname, testFile, names },
  }))
  return recordTests(session, made, now)
}

/** Adds tests to the registry of a project. */
export async function recordTests(
  { root, worker }: TestingSession,
  tests: readonly NewTests[],
  now: () => Date,
): Promise<void> {
  const written = tests.filter(({ names }) => names.length > 0)
  if (written.length === 0) return
  const registry = new Map(await readRegistry(root))
  for (const { path, qualname, testFile, names } of written) {
    const name = `${path}::${qualname}`
    const known = registry.get(name)
    // The tests are written; where Python has ended in the meantime, sync finds the content later.
    const found = await worker
      .call('function_contents', { path }, functionContents, 30_000)
      .catch((error: unknown) => {
        if (error instanceof AutotestError && error.code === 'python_stopped') return []
        throw error
      })
    registry.set(name, {
      testFile,
      testNames: [...new Set([...(known?.testFile === testFile ? known.testNames : []), ...names])],
      generatedAt: `${now().toISOString().slice(0, 19)}Z`,
      content: found.find((each) => each.qualname === qualname)?.content,
    })
  }
  await writeRegistry(root, registry)
}
