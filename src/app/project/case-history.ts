import { AutotestError } from '../../errors.js'
import type { CaseRecord, RunDetail } from '../../store/record-types.js'
import type { RunStore } from '../../store/store.js'
import { nearest } from '../../text/nearest-word.js'

/**
 * Returns the history of a case in the latest runs, newest first. Every surface asks this: throws `case_unknown` if no run
 * had the case.
 */
export function historyOfCase(
  store: RunStore,
  id: string,
  { limit }: { readonly limit: number },
): ReturnType<RunStore['caseHistory']> {
  const chapters = store.caseHistory(id, { limit })
  if (chapters.length > 0) return chapters
  const known = store.caseIds()
  const meant = nearest(id, known)
  const hint =
    known.length === 0
      ? 'No runs yet: start with autotest.'
      : meant === undefined
        ? 'autotest --list shows the cases; the history of a case begins with its first run.'
        : `did you mean ${meant}?`
  throw new AutotestError('case_unknown', `no run has a case "${id}"`, { hint })
}

/** Returns a case of a run. Throws `case_unknown` if the run had no such case. */
export function caseOfRun({ run, cases }: RunDetail, id: string): CaseRecord {
  const record = cases.find((each) => each.caseId === id)
  if (record !== undefined) return record
  const meant = nearest(
    id,
    cases.map(({ caseId }) => caseId),
  )
  throw new AutotestError('case_unknown', `run ${run.id} had no case "${id}"`, {
    hint: meant === undefined ? `Its cases: autotest runs show ${run.id}` : `did you mean ${meant}?`,
  })
}
