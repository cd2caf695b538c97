import type { SqlCase } from '../../benchmark/case.js'
import type { Evaluation } from '../../run/evaluate.js'
import { forEachConcurrent } from '../../run/for-each-concurrent.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { Evidence } from '../../store/records.js'
import { interpretationOf, knowledgeBaseOf, tokensOf } from '../knowledge.js'
import type { RepairPlan } from '../plan.js'
import { makeTwins, type Twin } from '../twins/twins.js'
import { changesSql } from './changed-choices.js'
import { alwaysPasses, countPassing, evaluateOrThrow, passingCaseIds, type VerifyContext } from './context.js'
import { findCounterexampleValue } from './other-values.js'
import { affectedCases, brokenCases, evaluateBenchmark } from './regression.js'

export interface Verification {
  readonly evidence: Evidence
  /** Parameters that the questions name and that no usable twin varied: nothing shows that changed SQL follows them. */
  readonly unvaried: readonly string[]
  /** For each twin that the agent had no answer to, the parameter that has another value in it. */
  readonly unanswered: readonly string[]
  /** Another value for which the changed query is not the expected one, in words. */
  readonly counterexample?: string | undefined
  /** What the engine says of the first target's query, where it refuses it. */
  readonly engineError?: string | undefined
  /** Every case on the candidate; empty where an earlier check failed already. */
  readonly after: ReadonlyMap<string, Evaluation>
}

/** Cases that took no part in making a plan. */
export interface HeldOutCheck {
  /** How many of them pass. */
  readonly check: () => Promise<{ passed: number; of: number }>
  /** Whether one that fails disproves the plan. */
  readonly mustPass: boolean
}

const twinsPerParameter = 2
const casesWithTwins = 4

/** Checks a candidate, cheapest first, and stops at the first check that fails. */
export async function verify(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  unseen: HeldOutCheck,
  context: VerifyContext,
): Promise<Verification> {
  const none = { passed: 0, of: 0 }
  const target = await countPassing(plan.cases, candidate, context)
  const start: Evidence = {
    target,
    twins: none,
    heldOut: none,
    affected: none,
    benchmark: {
      before: passingCaseIds(context.current.values()).size,
      after: 0,
      of: context.benchmark.length,
    },
    broken: [],
  }
  if (target.passed < target.of) {
    const engineError = await findEngineError(plan.cases, candidate, context)
    return { evidence: start, unvaried: [], unanswered: [], engineError, after: new Map() }
  }

  const { counted, varied, named, unanswered } = await askTwins(
    plan.cases.slice(0, casesWithTwins),
    snapshot,
    candidate,
    context,
  )
  const isAboutSql =
    plan.edits.some((edit) => edit.kind !== 'edit_metric') ||
    changesSql(plan, knowledgeBaseOf(snapshot, context), knowledgeBaseOf(candidate, context))
  const unvaried = isAboutSql ? [...named].filter((parameter) => !varied.has(parameter)) : []
  const evidence = { ...start, twins: counted }
  if (counted.passed < counted.of) return { evidence, unvaried, unanswered, after: new Map() }

  const counterexample = unseen.mustPass
    ? await findCounterexampleValue(plan, snapshot, candidate, context)
    : undefined
  if (counterexample !== undefined)
    return { evidence, unvaried, unanswered, counterexample, after: new Map() }

  const heldOut = await unseen.check()
  if (unseen.mustPass && heldOut.passed < heldOut.of)
    return { evidence: { ...evidence, heldOut }, unvaried, unanswered, after: new Map() }
  const after = await evaluateBenchmark(snapshot, candidate, context)
  const [passedBefore, passedAfter] = [
    passingCaseIds(context.current.values()),
    passingCaseIds(after.values()),
  ]
  const affected = affectedCases(plan, context.current, after)
  return {
    after,
    unvaried,
    unanswered,
    evidence: {
      ...evidence,
      heldOut,
      affected: { passed: affected.filter((id) => passedAfter.has(id)).length, of: affected.length },
      benchmark: { before: passedBefore.size, after: passedAfter.size, of: context.benchmark.length },
      broken: brokenCases(context.current, after),
    },
  }
}

/** Why the engine does not run what the candidate says to a case; undefined where it runs it all. */
async function findEngineError(
  cases: readonly SqlCase[],
  candidate: Snapshot,
  context: VerifyContext,
): Promise<string | undefined> {
  for (const testCase of cases) {
    if (context.signal.aborted) return undefined
    const { results } = (await evaluateOrThrow(testCase, candidate, context)).score
    if (results?.kind === 'generated_failed') return results.message
  }
  return undefined
}

interface AskedTwins {
  readonly counted: Evidence['twins']
  readonly varied: ReadonlySet<string>
  readonly named: ReadonlySet<string>
  readonly unanswered: readonly string[]
}

type TwinOutcome = 'passed' | 'failed' | 'unanswered' | 'untold'

/**
 * What the candidate makes of twins of the cases. One whose answer nothing can judge, as in a year without data, is none:
 * the next one takes its place.
 */
async function askTwins(
  cases: readonly SqlCase[],
  snapshot: Snapshot,
  candidate: Snapshot,
  context: VerifyContext,
): Promise<AskedTwins> {
  const outcomes = new Map<string, TwinOutcome>()
  for (;;) {
    const untold = new Set([...outcomes].flatMap(([id, outcome]) => (outcome === 'untold' ? [id] : [])))
    const { twins, named } = await usableTwins(cases, snapshot, candidate, untold, context)
    const open = twins.filter(({ testCase }) => !outcomes.has(testCase.id))
    await forEachConcurrent(open, context.concurrency, context.signal, async ({ testCase }) => {
      outcomes.set(testCase.id, await twinOutcome(testCase, candidate, context))
    })
    const told = twins.filter(({ testCase }) => outcomes.get(testCase.id) !== 'untold')
    if (told.length < twins.length && !context.signal.aborted) continue
    const having = (outcome: TwinOutcome): Twin[] =>
      told.filter(({ testCase }) => outcomes.get(testCase.id) === outcome)
    return {
      counted: { passed: having('passed').length, of: told.length },
      varied: new Set(told.map(({ parameter }) => parameter)),
      named,
      unanswered: having('unanswered').map(({ parameter }) => parameter),
    }
  }
}

async function twinOutcome(
  testCase: SqlCase,
  candidate: Snapshot,
  context: VerifyContext,
): Promise<TwinOutcome> {
  const { sample, score } = await evaluateOrThrow(testCase, candidate, context)
  if (score.verdict === 'unproven') return 'untold'
  if (sample.kind === 'no_answer') return 'unanswered'
  return (await alwaysPasses(testCase, candidate, context)) ? 'passed' : 'failed'
}

async function usableTwins(
  cases: readonly SqlCase[],
  snapshot: Snapshot,
  candidate: Snapshot,
  untold: ReadonlySet<string>,
  context: VerifyContext,
): Promise<{ twins: Twin[]; named: ReadonlySet<string> }> {
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
      const twins = [...twinsOfRemovedValues(lost.get(parameter) ?? [], known), ...known]
      let taken = 0
      for (const twin of twins) {
        if (taken === twinsPerParameter || context.signal.aborted) break
        if (untold.has(twin.testCase.id)) continue
        if (!(await context.distinguishes(twin.testCase, testCase))) continue
        usable.push(twin)
        taken++
      }
    }
  }
  return { twins: usable, named }
}

/** Twins of values that the candidate no longer knows: a value that is taken out must not take its own check along. */
function twinsOfRemovedValues(before: readonly Twin[], after: readonly Twin[]): Twin[] {
  const known = new Set(after.map(({ testCase }) => testCase.expectedSql))
  return before
    .filter(({ testCase }) => !known.has(testCase.expectedSql))
    .map((twin) => ({ ...twin, testCase: { ...twin.testCase, id: `${twin.testCase.id}~before` } }))
}
