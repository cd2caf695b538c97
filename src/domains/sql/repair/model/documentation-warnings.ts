import { findContradictions } from '../../../../kb/claims/find-contradictions.js'
import { changedPaths, readText, type Snapshot } from '../../../../snapshot/snapshot.js'
import { changedQueries } from './changed-queries.js'
import { interpretationOf, knowledgeBaseOf, type RepairContext } from './repair-context.js'

/**
 * Returns warnings about notes, titles and comments that contradict a repair and did not contradict the
 * former query: the benchmark and the author disagree, which a person should see. They reject nothing, as the
 * text itself may be outdated.
 */
export function documentationWarnings(
  before: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  const changed = new Set(changedPaths(before, candidate))
  const said = (snapshot: Snapshot): string[] =>
    findContradictions(
      knowledgeBaseOf(snapshot, context),
      (path) => readText(snapshot, path) ?? '',
      changed,
    ).map(({ path, message }) => `${path} ${message}`)
  const known = new Set(said(before))
  return [...new Set(said(candidate))].filter((text) => !known.has(text))
}

/** Returns everything that a person should see beside the evidence for a repair. */
export function repairWarnings(before: Snapshot, candidate: Snapshot, context: RepairContext): string[] {
  return [
    ...documentationWarnings(before, candidate, context),
    ...untestedReaders(before, candidate, context),
  ]
}

/**
 * Warns about metrics that use a changed snippet as well and that no case asks for: nothing shows whether the
 * change suits them.
 */
function untestedReaders(before: Snapshot, candidate: Snapshot, context: RepairContext): string[] {
  const changed = new Set(changedQueries(before, candidate, context).map(({ name }) => name))
  const kb = knowledgeBaseOf(candidate, context)
  const readers = kb.metrics.filter(({ snippet }) => changed.has(snippet))
  const shared = readers.filter(({ id, snippet }) =>
    readers.some((other) => other.id !== id && other.snippet === snippet),
  )
  if (shared.length === 0) return []
  const asked = new Set(
    (context.benchmark ?? []).map((testCase) => interpretationOf(testCase, kb, context).metric?.id),
  )
  return shared
    .filter(({ id }) => !asked.has(id))
    .map(({ path, snippet, name }) => `${path} also uses ${snippet}, and no case tests ${name}`)
}
