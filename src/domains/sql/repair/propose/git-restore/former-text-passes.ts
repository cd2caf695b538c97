import type { RepairCandidate } from '../../../../../repair/model/candidate.js'
import { readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import { countChangedLines } from '../../model/change-size.js'
import { knowledgeBaseOf, renderQuery, snippetOf } from '../../model/repair-context.js'
import type { ScoringContext } from '../../model/scoring-context.js'
import type { SqlTypes } from '../../model/sql-repair-types.js'

/** How many former texts are looked at. */
const maxVersions = 5
/** The most lines, removed and added, in which a former text may differ: more may be several changes, of which one is wrong. */
const maxLines = 2

/** Reports whether a former text of the snippet, little different from today's, gives every failing case its rows: its author's words come first. */
export async function formerTextPasses(
  { diagnoses }: RepairCandidate<SqlTypes>,
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<boolean> {
  const kb = knowledgeBaseOf(snapshot, context)
  const [metric] = diagnoses.flatMap(({ interpretation }) => interpretation.metric ?? [])
  const snippet = metric && snippetOf(metric, kb)
  if (snippet === undefined || readText(snapshot, snippet.path) !== snippet.text) return false
  const versions = (await context.history?.versionsOf(snippet.path)) ?? []
  const texts = versions
    .slice(0, maxVersions)
    .map(({ text }) => text)
    .filter((text) => text.trim() !== '' && countChangedLines(text, snippet.text) <= maxLines)
  for (const text of new Set(texts)) {
    const former = {
      ...kb,
      snippets: new Map(
        [...kb.snippets].map(([name, one]) => [name, one === snippet ? { ...one, text } : one]),
      ),
    }
    let passes = text !== snippet.text
    for (const { evaluation, interpretation } of diagnoses) {
      if (!passes) break
      const sql =
        interpretation.kind === 'bound'
          ? renderQuery(interpretation.metric, interpretation.bindings, former, context)
          : undefined
      passes =
        sql !== undefined && (await context.evaluator.givesRows(evaluation.testCase, sql, context.signal))
    }
    if (passes) return true
  }
  return false
}
