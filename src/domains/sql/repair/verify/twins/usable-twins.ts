import type { SqlCase } from '../../../../../benchmark/case.js'
import type { UsableTwins } from '../../../../../repair/model/domain.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import type { ScoringContext } from '../../model/context.js'
import { interpretationOf, knowledgeBaseOf, tokensOf } from '../../model/knowledge.js'
import type { Diagnosis, SqlTypes } from '../../model/plan.js'
import { makeTwins, type Twin } from './twins.js'

const twinsPerParameter = 2

/** How many twins are asked about at most: for each parameter that the questions name. */
export function mostTwins(diagnoses: readonly Diagnosis[]): number {
  const named = diagnoses.flatMap(({ interpretation }) =>
    interpretation.bindings.filter(({ span }) => span !== undefined),
  )
  return named.length * twinsPerParameter
}

/**
 * Twins of the cases that the data tells from their originals, two a parameter, and the parameters that the questions
 * name. A value that the candidate no longer knows has its twins still: what is taken out must not take its own check along.
 *
 * @param inconclusive ids of twins whose answer nothing can judge
 */
export async function usableTwins(
  cases: readonly SqlCase[],
  snapshot: Snapshot,
  candidate: Snapshot,
  inconclusive: ReadonlySet<string>,
  context: ScoringContext,
): Promise<UsableTwins<SqlTypes>> {
  const [kb, before] = [knowledgeBaseOf(candidate, context), knowledgeBaseOf(snapshot, context)]
  const usable: Twin[] = []
  const named = new Set<string>()
  for (const testCase of cases) {
    const meaning = interpretationOf(testCase, kb, context)
    if (meaning.kind !== 'bound') continue
    for (const { parameter, span } of meaning.bindings) if (span !== undefined) named.add(parameter)
    const tokens = tokensOf(testCase.expectedSql, context.expectedDialect(testCase), context.parser)
    const former = interpretationOf(testCase, before, context)
    const lost = former.kind === 'bound' ? makeTwins(testCase, tokens, former) : new Map<string, Twin[]>()
    for (const [parameter, known] of makeTwins(testCase, tokens, meaning)) {
      const twins = [...removedTwins(lost.get(parameter) ?? [], known), ...known]
      let taken = 0
      for (const twin of twins) {
        if (taken === twinsPerParameter || context.signal.aborted) break
        if (inconclusive.has(twin.testCase.id)) continue
        if (!(await context.distinguishes(twin.testCase, testCase))) continue
        usable.push(twin)
        taken++
      }
    }
  }
  return { twins: usable, named }
}

/** Twins of values that the candidate no longer knows. */
function removedTwins(before: readonly Twin[], after: readonly Twin[]): Twin[] {
  const known = new Set(after.map(({ testCase }) => testCase.expectedSql))
  return before
    .filter(({ testCase }) => !known.has(testCase.expectedSql))
    .map((twin) => ({ ...twin, testCase: { ...twin.testCase, id: `${twin.testCase.id}~before` } }))
}
