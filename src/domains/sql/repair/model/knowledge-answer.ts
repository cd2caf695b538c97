import type { SqlCase } from '../../../../benchmark/case.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { regionsOf } from './answer-region.js'
import { interpretationOf, knowledgeBaseOf, renderQuery } from './repair-context.js'
import type { ScoringContext } from './scoring-context.js'

/** What a state of the knowledge gives a case. */
export interface KnowledgeAnswer {
  /** Undefined if its metric renders no query. */
  readonly sql: string | undefined
  /** Files that it is made of. */
  readonly paths: readonly string[]
  /** The metric, or the entry, that it is made of, as reports name it. */
  readonly name: string
}

/** Returns the query of the metric that a question resolves to, else the one that is made of an entry; undefined if there is neither. */
export async function answerOfKnowledge(
  testCase: SqlCase,
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<KnowledgeAnswer | undefined> {
  const kb = knowledgeBaseOf(snapshot, context)
  const meaning = interpretationOf(testCase, kb, context)
  if (meaning.kind === 'bound') {
    const { metric, bindings } = meaning
    const snippet = kb.snippets.get(metric.snippet)
    const sql = renderQuery(metric, bindings, kb, context)
    const paths = [metric.path, ...(snippet === undefined ? [] : [snippet.path])]
    return { sql, paths, name: metric.name }
  }
  if (kb.entries === undefined) return undefined
  const answer = await context.evaluator.answerFromEntries(testCase, snapshot)
  if (answer === undefined || answer.read === 'all') return undefined
  const [region] = answer.read.flatMap((id) => regionsOf(kb).get(id) ?? [])
  return region && { sql: answer.sql, paths: [region.path], name: region.name }
}
