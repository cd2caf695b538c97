import type { SqlCase } from '../benchmark/case.js'
import type { Evaluation } from '../run/evaluate.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { Evidence } from '../store/records.js'
import { knowledgeOf, meaningOf, tokensOf } from './knowledge.js'
import type { RepairPlan } from './plan.js'
import { brokenBy, readersOf, wholeBenchmark } from './regression.js'
import { makeTwins, type Twin } from './twins/twins.js'
import { passes, passing, type VerifyContext } from './verify-context.js'

export interface Verification {
  readonly evidence: Evidence
  /** Parameters that the questions name and that no usable twin varied: nothing shows that changed SQL follows them. */
  readonly unvaried: readonly string[]
  /** Every case on the candidate; empty where an earlier check failed already. */
  readonly after: ReadonlyMap<string, Evaluation>
}

const twinsPerParameter = 2
const casesWithTwins = 4

/**
 * Checks a candidate, cheapest first, and stops at the first check that fails.
 *
 * @param checkHeldOut how many cases pass that took no part in making the plan
 */
export async function verify(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  checkHeldOut: () => Promise<{ passed: number; of: number }>,
  context: VerifyContext,
): Promise<Verification> {
  const none = { passed: 0, of: 0 }
  const target = await passes(plan.cases, candidate, context)
  const start: Evidence = {
    target,
    twins: none,
    heldOut: none,
    affected: none,
    benchmark: {
      before: passing(context.current.values()).size,
      after: 0,
      of: context.benchmark.length,
    },
    broken: [],
  }
  if (target.passed < target.of) return { evidence: start, unvaried: [], after: new Map() }

  const { twins, named } = await usableTwins(
    plan.cases.slice(0, casesWithTwins),
    snapshot,
    candidate,
    context,
  )
  const varied = new Set(twins.map(({ parameter }) => parameter))
  const changesSql = plan.edits.some((edit) => edit.kind !== 'edit_metric')
  const unvaried = changesSql ? [...named].filter((parameter) => !varied.has(parameter)) : []
  const asked = twins.map((twin) => twin.testCase)
  const evidence = { ...start, twins: await passes(asked, candidate, context) }
  if (evidence.twins.passed < evidence.twins.of) return { evidence, unvaried, after: new Map() }

  const heldOut = await checkHeldOut()
  const after = await wholeBenchmark(snapshot, candidate, context)
  const [passedBefore, passedAfter] = [passing(context.current.values()), passing(after.values())]
  const affected = readersOf(plan, context.current, after)
  return {
    after,
    unvaried,
    evidence: {
      ...evidence,
      heldOut,
      affected: { passed: affected.filter((id) => passedAfter.has(id)).length, of: affected.length },
      benchmark: { before: passedBefore.size, after: passedAfter.size, of: context.benchmark.length },
      broken: brokenBy(context.current, after),
    },
  }
}

async function usableTwins(
  cases: readonly SqlCase[],
  snapshot: Snapshot,
  candidate: Snapshot,
  context: VerifyContext,
): Promise<{ twins: Twin[]; named: ReadonlySet<string> }> {
  const [kb, before] = [knowledgeOf(candidate, context), knowledgeOf(snapshot, context)]
  const usable: Twin[] = []
  const named = new Set<string>()
  for (const testCase of cases) {
    const meaning = meaningOf(testCase, kb, context)
    if (meaning.kind !== 'bound') continue
    for (const { parameter, span } of meaning.bindings) if (span !== undefined) named.add(parameter)
    const tokens = tokensOf(testCase.expectedSql, context.expectedDialect(testCase), context.parser)
    const former = meaningOf(testCase, before, context)
    const lost = former.kind === 'bound' ? makeTwins(testCase, tokens, former) : new Map<string, Twin[]>()
    for (const [parameter, known] of makeTwins(testCase, tokens, meaning)) {
      const twins = [...lostTwins(lost.get(parameter) ?? [], known), ...known]
      let taken = 0
      for (const twin of twins) {
        if (taken === twinsPerParameter || context.signal.aborted) break
        if (!(await context.distinguishes(twin.testCase, testCase))) continue
        usable.push(twin)
        taken++
      }
    }
  }
  return { twins: usable, named }
}

/** Twins of values that the candidate no longer knows: a value that is taken out must not take its own check along. */
function lostTwins(before: readonly Twin[], after: readonly Twin[]): Twin[] {
  const known = new Set(after.map(({ testCase }) => testCase.expectedSql))
  return before
    .filter(({ testCase }) => !known.has(testCase.expectedSql))
    .map((twin) => ({ ...twin, testCase: { ...twin.testCase, id: `${twin.testCase.id}~before` } }))
}
