import type { KnowledgeBase } from '../kb/entry.js'
import { type RepairContext, saysExpected } from './knowledge.js'
import type { Diagnosis } from './plan.js'

/**
 * Why a failing case's expected query is suspect: it was changed, the knowledge says what it expected before, and no
 * other failing case has the same cause. What drifted is then the benchmark, unless somebody means the knowledge to
 * follow, which a second case can say.
 */
export function changedQuery(
  diagnosis: Diagnosis,
  all: readonly Diagnosis[],
  kb: KnowledgeBase,
  context: RepairContext,
): string | undefined {
  const { cluster, evaluation, interpretation } = diagnosis
  if (interpretation.kind !== 'bound' || cluster === undefined) return undefined
  if (all.some((other) => other !== diagnosis && other.cluster === cluster)) return undefined
  const { testCase } = evaluation
  const { metric, bindings } = interpretation
  const former = context.formerQueries
    ?.get(testCase.id)
    ?.find(({ sql }) => saysExpected({ ...testCase, expectedSql: sql }, metric, bindings, kb, context))
  if (former === undefined) return undefined
  return `${former.by} gave it another expected query; metric ${metric.name} says what it expected before, and no other case asks for the change`
}
