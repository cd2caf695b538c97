import { renderSnippet } from '../../../../../kb/render-snippet.js'
import type { Example } from '../rules/snippet-proposals.js'
import type { Candidate } from './candidates.js'
import type { EditSearchInput, Trial } from './search-input.js'

/** Candidates that are tried at a time: a fixed number, so that a limit ends every search at the same candidate. */
const batch = 8
/** The most candidates of one size that are compared on copies. */
const maxSurvivors = 12

/** Returns the candidates with which every case passes, in their order. */
export async function survivorsOf(
  input: EditSearchInput,
  candidates: readonly Candidate[],
  runs: { left: number; tried: number },
): Promise<Candidate[]> {
  const { trial, signal } = input
  const giveRows: Candidate[] = []
  for (let at = 0; at < candidates.length && runs.left > 0 && !signal.aborted; at += batch) {
    const some = candidates.slice(at, at + batch)
    const tried = await Promise.all(some.map((candidate) => triedOn(candidate, trial.givesRows, input)))
    for (const [index, { passes, queries }] of tried.entries()) {
      const candidate = some[index]
      runs.left -= queries
      runs.tried++
      if (passes && candidate !== undefined) giveRows.push(candidate)
    }
  }
  const proved: Candidate[] = []
  for (const candidate of giveRows.slice(0, maxSurvivors)) {
    if (signal.aborted) break
    if ((await triedOn(candidate, trial.passes, input)).passes) proved.push(candidate)
  }
  return proved
}

/** Tries a candidate on one case after the other, until one fails. */
async function triedOn(
  candidate: Candidate,
  test: Trial['givesRows'],
  { examples, passing, snippet, metric, dialect }: EditSearchInput,
): Promise<{ readonly passes: boolean; readonly queries: number }> {
  const rendered = (example: Example): string | undefined => {
    const changed = { ...snippet, text: candidate.text }
    const outcome = renderSnippet(changed, example.metric ?? metric, example.bindings, dialect)
    return outcome.kind === 'sql' ? outcome.sql : undefined
  }
  let queries = 0
  for (const example of [...examples, ...passing]) {
    const sql = rendered(example)
    queries++
    if (sql === undefined || !(await test(example.caseId, sql))) return { passes: false, queries }
  }
  return { passes: true, queries }
}
