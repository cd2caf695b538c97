import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { changesSql } from '../model/changed-choices.js'
import { interpretationOf, knowledgeBaseOf, tokensOf } from '../model/repair-context.js'
import type { ScoringContext } from '../model/scoring-context.js'
import type { RepairPlan } from '../model/sql-repair-types.js'
import { scoreKnowledge } from './score-knowledge-query.js'
import { makeTwins } from './twins/make-twins.js'

/** Enough to find a value with another result, and few enough for a slow database. */
const [maxCases, maxValuesPerParameter] = [2, 40]

/**
 * Describes a value of a question for which a proposed query differs from the expected one. Twins use two
 * values a parameter: they do not detect a query that treats a third one differently, as `OR market = (SELECT
 * max(market) FROM orders)` does. Here the query that the knowledge base itself gives is tried for all values
 * that it knows, on the database alone. Undefined if there is none, and also if the query has the structure
 * of the expected one, and so equals it for every value.
 */
export async function findCounterexampleValue(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: ScoringContext,
): Promise<string | undefined> {
  const kb = knowledgeBaseOf(candidate, context)
  if (!changesSql(plan, snapshot, candidate, context)) return undefined
  for (const testCase of plan.cases.slice(0, maxCases)) {
    const meaning = interpretationOf(testCase, kb, context)
    const said = meaning.kind === 'bound' ? await scoreKnowledge(testCase, candidate, context) : undefined
    if (meaning.kind !== 'bound' || said?.verdict !== 'pass' || said.by === 'structure') continue
    const tokens = tokensOf(testCase.expectedSql, context.expectedDialect(testCase), context.parser)
    for (const twin of [...makeTwins(testCase, tokens, meaning).values()].flatMap((each) =>
      each.slice(0, maxValuesPerParameter),
    )) {
      if (context.signal.aborted) return undefined
      const score = await scoreKnowledge(twin.testCase, candidate, context)
      if (score?.verdict === 'fail') return `another ${twin.parameter} ("${twin.testCase.question}")`
    }
  }
  return undefined
}
