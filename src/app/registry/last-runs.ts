import type { TestResultRecord } from '../../store/test-result-rows.js'
import type { Registry, TestMapping } from './registry.js'

/** What became of a function's tests when they last ran. */
export interface LastRun {
  /** `failed` where one of them failed, `passed` where all passed, else `skipped`: some were skipped, or expected to fail. */
  readonly status: 'passed' | 'failed' | 'skipped'
  /** ISO timestamp, UTC, of the latest of them. */
  readonly runAt: string
}

export interface MappingWithRun extends TestMapping {
  readonly lastRun?: LastRun
}

/** Joins a registry, which does not change with runs, and results of tests. Absent: not all of a function's tests have run. */
export function withLastRuns(
  registry: Registry,
  results: readonly TestResultRecord[],
): ReadonlyMap<string, MappingWithRun> {
  const known = new Map<string, TestResultRecord[]>()
  for (const each of results) known.set(keyOf(each.test), [...(known.get(keyOf(each.test)) ?? []), each])
  return new Map(
    [...registry].map(([name, mapping]) => {
      const { testFile, testNames } = mapping
      const found = testNames.map((test) => known.get(keyOf(`${testFile}::${test}`)) ?? [])
      if (found.some((each) => each.length === 0)) return [name, mapping]
      const rows = found.flat()
      const status = statusOf(rows.map(({ outcome }) => outcome))
      const runAt =
        rows
          .map(({ at }) => at)
          .sort()
          .at(-1) ?? ''
      return [name, { ...mapping, lastRun: { status, runAt } }]
    }),
  )
}

function statusOf(outcomes: readonly string[]): LastRun['status'] {
  if (outcomes.every((outcome) => outcome === 'passed')) return 'passed'
  return outcomes.some((outcome) => outcome === 'failed' || outcome === 'error') ? 'failed' : 'skipped'
}

/** Returns file and name of a test, without its class and its parameters. */
function keyOf(test: string): string {
  const [file = '', ...names] = test.replace(/\[.*$/s, '').split('::')
  return `${file}::${names.join('.').split('.').at(-1)}`
}
