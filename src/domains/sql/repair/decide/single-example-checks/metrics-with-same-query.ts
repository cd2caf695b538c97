import type { Snippet } from '../../../../../kb/entry.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { areEquivalent } from '../../../../../sql/index.js'
import {
  interpretationOf,
  knowledgeBaseOf,
  type RepairContext,
  renderQuery,
  snippetOf,
} from '../../model/repair-context.js'
import type { RepairPlan } from '../../model/sql-repair-types.js'

/**
 * Returns other metrics whose snippet gives, for the first case of a plan, the query that the plan gives its
 * own metric.
 */
export function metricsWithSameQuery(
  plan: RepairPlan,
  candidate: Snapshot,
  context: RepairContext,
): { readonly metric: string; readonly snippet: Snippet }[] {
  const kb = knowledgeBaseOf(candidate, context)
  const [testCase] = plan.cases
  const meaning = testCase && interpretationOf(testCase, kb, context)
  if (meaning?.kind !== 'bound') return []
  const own = snippetOf(meaning.metric, kb)
  const { parser, dialect } = context
  const sql = renderQuery(meaning.metric, meaning.bindings, kb, context)
  return kb.metrics.flatMap((metric) => {
    const snippet = snippetOf(metric, kb)
    if (sql === undefined || snippet === undefined || snippet.name === own?.name) return []
    const other = renderQuery(metric, meaning.bindings, kb, context)
    const isSame = other !== undefined && areEquivalent(parser, sql, other, dialect)
    return isSame ? [{ metric: metric.name, snippet }] : []
  })
}
