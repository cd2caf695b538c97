import { existsSync } from 'node:fs'
import type { SqlCase } from '../../benchmark/case.js'
import { AutotestError } from '../../errors.js'
import type { CaseOutcome } from '../../store/record-types.js'
import { openStore } from '../../store/store.js'

/** The outcomes that `--last-failed` selects: a case that was not run has none of them. */
const didNotPass: readonly CaseOutcome[] = ['failed', 'unproven', 'errored', 'pending']

/** Returns the ids of cases of the last run that did not pass and still exist. */
export async function lastFailedIds(database: string, cases: readonly SqlCase[]): Promise<readonly string[]> {
  if (!existsSync(database)) throw noEarlierRun()
  const store = await openStore(database, { readonly: true, now: () => new Date() })
  try {
    const latest = store.latestRun({})
    if (latest === undefined) throw noEarlierRun()
    const failed = new Set(store.caseIdsWith(latest.id, didNotPass))
    const ids = cases.map((testCase) => testCase.id).filter((id) => failed.has(id))
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

function noEarlierRun(): AutotestError {
  return new AutotestError('no_case_matched', 'nothing matched: --last-failed, but there is no earlier run', {
    hint: 'Run autotest once without it.',
  })
}
