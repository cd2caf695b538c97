import { contradictionsIn } from '../../kb/claims/contradictions.js'
import { changedPaths, readText, type Snapshot } from '../../snapshot/snapshot.js'
import { knowledgeOf, type RepairContext } from '../knowledge.js'

/**
 * What notes, titles and comments say against a repair, and did not say against what was there before: the benchmark
 * and the author disagree, which a person should see. It rejects nothing, as a text may be what has grown old.
 */
export function warningsAbout(before: Snapshot, candidate: Snapshot, context: RepairContext): string[] {
  const changed = new Set(changedPaths(before, candidate))
  const said = (snapshot: Snapshot): string[] =>
    contradictionsIn(knowledgeOf(snapshot, context), (path) => readText(snapshot, path) ?? '', changed).map(
      ({ path, message }) => `${path} ${message}`,
    )
  const known = new Set(said(before))
  return [...new Set(said(candidate))].filter((text) => !known.has(text))
}
