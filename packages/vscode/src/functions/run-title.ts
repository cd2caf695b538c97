import type { MappingWithRun } from '../server/protocol.js'

/** What neither passed nor failed has no mark of either. */
const marks = { passed: ' ✓', failed: ' ✗', skipped: ' –' } as const

/** Returns what the lens says: how many tests there are, and what became of them. */
export function runTitle(tests: Pick<MappingWithRun, 'testNames' | 'lastRun'> | undefined): string {
  if (tests === undefined) return 'Run tests'
  const count = tests.testNames.length
  const last = tests.lastRun === undefined ? '' : marks[tests.lastRun.status]
  return `Run ${count} ${count === 1 ? 'test' : 'tests'}${last}`
}
