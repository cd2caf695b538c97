import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** Test files of which the last run left something out, one a line. */
const list = 'node_modules/.cache/autotest-tests/left-out.txt'

/** Says at the end of a run what was left out, one line a reason, and keeps the names of the files. */
export default class LeftOutReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>()
    const files = new Set<string>()
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const reason = reasonOf(test)
        if (reason === undefined) continue
        counts.set(reason, (counts.get(reason) ?? 0) + 1)
        files.add(module.relativeModuleId)
      }
    }
    for (const [reason, count] of counts)
      console.log(`SKIPPED  ${count} ${count === 1 ? 'test' : 'tests'}${reason}`)
    mkdirSync(dirname(list), { recursive: true })
    writeFileSync(
      list,
      [...files]
        .toSorted()
        .map((file) => `${file}\n`)
        .join(''),
    )
  }
}

/** Returns undefined for what was not asked for, by `-t` or `.skip`. */
function reasonOf(test: TestCase): string | undefined {
  const { leftOut } = test.meta()
  if (leftOut !== undefined) return ` of ${leftOut}`
  const result = test.result()
  return result.state === 'skipped' && result.note !== undefined ? ` left out: ${result.note}` : undefined
}
