import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { BenchmarkCase } from '../../benchmark/case.js'
import { filterCases } from '../../benchmark/filter.js'
import { AutotestError } from '../../errors.js'
import type { CaseOutcome, RunRecord } from '../../store/record-types.js'
import { openStore, type RunStore } from '../../store/store.js'

const didNotPass: readonly CaseOutcome[] = ['failed', 'unproven', 'errored', 'pending', 'skipped']
const allOutcomes: readonly CaseOutcome[] = [...didNotPass, 'passed', 'repaired']

/**
 * Returns the ids of cases of the last run that did not pass and still exist; if it ended early, also of those that it
 * did not reach.
 *
 * @param benchmark benchmark files of this request, as typed; a run over other files selected other cases
 */
export async function lastFailedIds(
  database: string,
  cases: readonly BenchmarkCase[],
  benchmark: readonly string[] | undefined,
): Promise<readonly string[]> {
  if (!existsSync(database)) throw noEarlierRun()
  const store = await openStore(database, { readonly: true, now: () => new Date() })
  try {
    const latest = store.latestRun({})
    if (latest === undefined) throw noEarlierRun()
    const failed = new Set(store.caseIdsWith(latest.id, didNotPass))
    const unreached = new Set(casesNotReached(latest, cases, benchmark, store))
    const ids = cases.map((testCase) => testCase.id).filter((id) => failed.has(id) || unreached.has(id))
    if (ids.length === 0) {
      throw new AutotestError(
        'no_case_matched',
        `nothing matched: --last-failed, but nothing failed in ${latest.id}`,
        {
          hint: 'Run autotest without it.',
        },
      )
    }
    return ids
  } finally {
    store.close()
  }
}

const selection = z.object({
  benchmark: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  id: z.array(z.string()).optional(),
})

/** Returns the ids that a run selected and did not reach before its budget, its time or an error ended it. */
function casesNotReached(
  run: RunRecord,
  cases: readonly BenchmarkCase[],
  benchmark: readonly string[] | undefined,
  store: RunStore,
): string[] {
  const reached = new Set(store.caseIdsWith(run.id, allOutcomes))
  const options = selection.safeParse(run.options)
  if (reached.size >= run.total || !options.success) return []
  if (!isDeepStrictEqual(options.data.benchmark, benchmark)) return []
  const present = new Set(cases.map(({ id }) => id))
  const ids = options.data.id?.filter((id) => present.has(id))
  if (ids?.length === 0) return []
  const { tags } = options.data
  // A tag that no case has any more selects none.
  if (tags?.some((tag) => cases.every((testCase) => !testCase.tags.includes(tag)))) return []
  return filterCases(cases, { tags, ids })
    .map(({ id }) => id)
    .filter((id) => !reached.has(id))
}

function noEarlierRun(): AutotestError {
  return new AutotestError('no_case_matched', 'nothing matched: --last-failed, but there is no earlier run', {
    hint: 'Run autotest once without it.',
  })
}
