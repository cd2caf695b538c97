import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { changesSql } from '../model/changed-choices.js'
import type { ScoringContext } from '../model/context.js'
import { interpretationOf, knowledgeBaseOf, tokensOf } from '../model/knowledge.js'
import type { RepairPlan } from '../model/plan.js'
import { scoreKnowledge } from './score-knowledge.js'
import { makeTwins } from './twins/twins.js'

/** Enough to see a value that is told from the others, and few enough for a slow database. */
const [maxCases, maxValuesPerParameter] = [2, 40]

/**
 * A value of a question for which a proposed query is not the expected one, in words. Twins are asked for two values a parameter:
 * what tells a third one apart, as `OR market = (SELECT max(market) FROM orders)` does, they do not see. Here the query that the
 * knowledge itself says is tried for all values that it knows, on the database alone. Undefined also where the query is
 * the expected one in structure, and so for every value.
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
