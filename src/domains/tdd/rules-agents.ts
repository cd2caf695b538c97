import { exampleTests } from '../../testgen/python/worker-results.js'
import { readWorkspaceFile } from '../../testgen/workspace/workspace-files.js'
import { diagnoseByRules } from './rules-debugger.js'
import type { TaskAgents, TurnResult } from './task-agents.js'

const examplesTimeoutMs = 60_000

/**
 * Creates agents without a model: tests come from the examples in the acceptance criteria, diagnoses from coverage and small changes, and the coder
 * writes a change that the debugger found.
 *
 * @param seconds of the search for a fault
 */
export function rulesAgents(seconds: number): TaskAgents {
  return {
    async writeTests({ state: { task }, session, sources }): Promise<TurnResult> {
      const { worker } = await session()
      const existing = (await readWorkspaceFile(worker, task.testPath)) ?? ''
      const { criteria, interfaces } = task
      const found = await worker.call(
        'example_tests',
        { criteria, interfaces, sources, existing },
        exampleTests,
        examplesTimeoutMs,
      )
      const { names, modules, unknown, without } = found
      if (unknown.length > 0)
        return gaveUp(
          `nobody says where ${unknown.join(', ')} is or will be: add it to the interfaces, as \`src/shop/calc.py: def ${unknown[0]}(…)\``,
        )
      if (names.length === 0 && without.length === criteria.length)
        return gaveUp(
          'no acceptance criterion has an example, as `add(1, 2) == 3` or `add("a", 1) raises TypeError`: tests of words need a model (--model)',
        )
      const left =
        without.length === 0 ? '' : `; without an example, and so without a test: ${without.join(' · ')}`
      const summary = `${names.length} tests from the acceptance criteria${left}`
      return { files: { [task.testPath]: found.text }, summary, modules, areExamples: true }
    },
    async writeCode({ state: { diagnosis } }): Promise<TurnResult> {
      const [fix] = diagnosis?.fixes ?? []
      if (fix === undefined)
        return { files: {}, summary: 'no change: without a model, code is written from a diagnosis only' }
      return {
        files: { [fix.path]: fix.text },
        summary: `${fix.path}:${fix.line}: \`${fix.before}\` → \`${fix.after}\``,
      }
    },
    refactor: undefined,
    async diagnose({ session, sources, failing, testFiles }) {
      const { worker } = await session()
      return diagnoseByRules({ worker, testFiles, sources, seconds, failing })
    },
  }
}

function gaveUp(reason: string): TurnResult {
  return { files: {}, summary: reason, gaveUp: reason }
}
