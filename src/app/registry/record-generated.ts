import { AutotestError } from '../../errors.js'
import { functionContents } from '../../testgen/python/worker-results.js'
import type { Generated } from '../testgen/generate-tests.js'
import type { TestingSession } from '../testgen/testing-session.js'
import { readRegistry, writeRegistry } from './registry.js'

/** Adds functions that have got tests to the registry of a project. */
export async function recordGenerated(
  { root, worker }: TestingSession,
  { functions }: Generated,
  now: () => Date,
): Promise<void> {
  const written = functions.filter(({ names }) => names.length > 0)
  if (written.length === 0) return
  const registry = new Map(await readRegistry(root))
  for (const { target, testFile, names } of written) {
    const name = `${target.path}::${target.description.qualname}`
    const known = registry.get(name)
    // The tests are written; where Python has ended in the meantime, sync finds the content later.
    const found = await worker
      .call('function_contents', { path: target.path }, functionContents, 30_000)
      .catch((error: unknown) => {
        if (error instanceof AutotestError && error.code === 'python_stopped') return []
        throw error
      })
    registry.set(name, {
      testFile,
      testNames: [...new Set([...(known?.testFile === testFile ? known.testNames : []), ...names])],
      generatedAt: `${now().toISOString().slice(0, 19)}Z`,
      content: found.find(({ qualname }) => qualname === target.description.qualname)?.content,
    })
  }
  await writeRegistry(root, registry)
}
