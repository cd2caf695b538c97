import type { SqlCase } from '../../../../../benchmark/case.js'
import type { UsableTwins } from '../../../../../repair/model/repair-domain.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { interpretationOf, knowledgeBaseOf, tokensOf } from '../../model/repair-context.js'
import type { ScoringContext } from '../../model/scoring-context.js'
import type { Diagnosis, SqlTypes } from '../../model/sql-repair-types.js'
import { makeEntryTwins } from './entry-twins.js'
import { makeTwins, type Twin } from './make-twins.js'

const twinsPerParameter = 2
/** How many values of a question without parameters are expected to be exchanged. */
const mostSlots = 3

/** Returns the maximal number of twins, over the parameters that the questions name. */
export function mostTwins(diagnoses: readonly Diagnosis[]): number {
  const named = diagnoses.flatMap(({ interpretation }) =>
    interpretation.bindings.filter(({ span }) => span !== undefined),
  )
  const slots = diagnoses.filter(({ region }) => region !== undefined).length * mostSlots
  return (named.length + slots) * twinsPerParameter
}

/**
 * Returns the twins whose data differs from their originals', two a parameter, and the parameters that they have
 * to vary. A value that the candidate no longer has keeps its twins: a plan must not remove its own check by
 * removing the value.
 *
 * @param inconclusive ids of twins whose answer cannot be judged
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
  let isOfEntries = false
  const values = new Map<string, Set<string>>()
  for (const testCase of cases) {
    const meaning = interpretationOf(testCase, kb, context)
    if (meaning.kind !== 'bound') {
      if (kb.entries === undefined) continue
      isOfEntries = true
      for (const { parameter, value, twins } of await makeEntryTwins(testCase, context)) {
        named.add(parameter)
        values.set(parameter, (values.get(parameter) ?? new Set()).add(value))
        usable.push(...(await distinguished(twins, testCase, inconclusive, context)))
      }
      continue
    }
    for (const { parameter, span, value } of meaning.bindings) {
      if (span !== undefined) named.add(parameter)
      values.set(parameter, (values.get(parameter) ?? new Set()).add(JSON.stringify(value)))
    }
    const tokens = tokensOf(testCase.expectedSql, context.expectedDialect(testCase), context.parser)
    const former = interpretationOf(testCase, before, context)
    const lost = former.kind === 'bound' ? makeTwins(testCase, tokens, former) : new Map<string, Twin[]>()
    for (const [parameter, known] of makeTwins(testCase, tokens, meaning)) {
      const twins = [...removedTwins(lost.get(parameter) ?? [], known), ...known]
      usable.push(...(await distinguished(twins, testCase, inconclusive, context)))
    }
  }
  const toVary = new Set([...named].filter((parameter) => values.get(parameter)?.size === 1))
  return { twins: usable, toVary, isConstant: isOfEntries && named.size === 0 }
}

/** Returns the first twins whose rows differ from their original's, as many as a parameter gets. */
async function distinguished(
  twins: readonly Twin[],
  testCase: SqlCase,
  inconclusive: ReadonlySet<string>,
  context: ScoringContext,
): Promise<Twin[]> {
  const taken: Twin[] = []
  for (const twin of twins) {
    if (taken.length === twinsPerParameter || context.signal.aborted) break
    if (inconclusive.has(twin.testCase.id)) continue
    if (await context.distinguishes(twin.testCase, testCase)) taken.push(twin)
  }
  return taken
}

/** Returns the twins of values that the candidate no longer has. */
function removedTwins(before: readonly Twin[], after: readonly Twin[]): Twin[] {
  const known = new Set(after.map(({ testCase }) => testCase.expectedSql))
  return before
    .filter(({ testCase }) => !known.has(testCase.expectedSql))
    .map((twin) => ({ ...twin, testCase: { ...twin.testCase, id: `${twin.testCase.id}~before` } }))
}
