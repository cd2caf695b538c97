import type { SqlCase } from '../benchmark/case.js'
import type { Evaluation, Evaluator } from '../run/evaluate.js'
import { schedule } from '../run/schedule.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { Evidence } from '../store/records.js'
import { knowledgeOf, meaningOf, type RepairContext, tokensOf } from './knowledge.js'
import type { Diagnosis, Proposals, RepairPlan } from './plan.js'
import { makeTwins, type Twin } from './twins/twins.js'

export interface VerifyContext extends RepairContext {
  readonly evaluator: Evaluator
  readonly concurrency: number
  readonly signal: AbortSignal
  /** Every case of the benchmark, whatever the filters. */
  readonly benchmark: readonly SqlCase[]
  /** Latest evaluation on the current snapshot by case id; cases never asked are missing. */
  readonly current: Map<string, Evaluation>
  /** Cases the user named: never left out while proposing. */
  readonly named: ReadonlySet<string>
  /** Whether the rows of an expected query are a usable twin's: not empty, and not those of the original. */
  readonly distinguishes: (twin: SqlCase, original: SqlCase) => Promise<boolean>
  readonly onProgress: (asked: number, total: number) => void
}

export interface Verification {
  readonly evidence: Evidence
  /** Every case on the candidate; empty where an earlier check failed already. */
  readonly after: ReadonlyMap<string, Evaluation>
}

const twinsPerParameter = 2
const casesWithTwins = 4
const casesLeftOut = 5

/** Checks a candidate, cheapest first, and stops at the first check that fails. */
export async function verify(
  plan: RepairPlan,
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  candidate: Snapshot,
  repropose: (diagnoses: readonly Diagnosis[]) => Proposals,
  applyPlan: (plan: RepairPlan) => Snapshot | undefined,
  context: VerifyContext,
): Promise<Verification> {
  const none = { passed: 0, of: 0 }
  const before = passing(context.current.values())
  let evidence: Evidence = {
    target: none,
    twins: none,
    heldOut: none,
    affected: none,
    benchmark: { before: before.size, after: 0, of: context.benchmark.length },
    broken: [],
  }
  const stop = (): Verification => ({ evidence, after: new Map() })

  const target = await passes(plan.cases, candidate, context)
  evidence = { ...evidence, target }
  if (target.passed < target.of) return stop()

  const twins = await usableTwins(plan.cases.slice(0, casesWithTwins), candidate, context)
  evidence = {
    ...evidence,
    twins: await passes(
      twins.map((twin) => twin.testCase),
      candidate,
      context,
    ),
  }
  if (evidence.twins.passed < evidence.twins.of) return stop()

  evidence = { ...evidence, heldOut: await leaveOneOut(diagnoses, repropose, applyPlan, context) }

  const after = await wholeBenchmark(snapshot, candidate, context)
  const passingBefore = passing(context.current.values())
  const passingAfter = passing(after.values())
  const broken = [...passingBefore].filter((id) => !passingAfter.has(id))
  const affected = readersOf(plan, context.current, after, passingBefore)
  return {
    after,
    evidence: {
      ...evidence,
      affected: { passed: affected.filter((id) => passingAfter.has(id)).length, of: affected.length },
      benchmark: { before: passingBefore.size, after: passingAfter.size, of: context.benchmark.length },
      broken: [...broken],
    },
  }
}

async function passes(
  cases: readonly SqlCase[],
  candidate: Snapshot,
  context: VerifyContext,
): Promise<{ passed: number; of: number }> {
  let passed = 0
  await schedule(cases, context.concurrency, context.signal, async (testCase) => {
    const { score } = await context.evaluator.evaluate(testCase, candidate, context.signal)
    if (score.verdict === 'pass') passed++
  })
  return { passed, of: cases.length }
}

async function usableTwins(
  cases: readonly SqlCase[],
  candidate: Snapshot,
  context: VerifyContext,
): Promise<Twin[]> {
  const kb = knowledgeOf(candidate, context)
  const usable: Twin[] = []
  for (const testCase of cases) {
    const meaning = meaningOf(testCase, kb, context)
    if (meaning.kind !== 'bound') continue
    const tokens = tokensOf(testCase.expectedSql, context.expectedDialect(testCase), context.parser)
    for (const twins of makeTwins(testCase, tokens, meaning).values()) {
      let taken = 0
      for (const twin of twins) {
        if (taken === twinsPerParameter || context.signal.aborted) break
        if (!(await context.distinguishes(twin.testCase, testCase))) continue
        usable.push(twin)
        taken++
      }
    }
  }
  return usable
}

/** How many cases pass with a plan that was made without them. */
async function leaveOneOut(
  diagnoses: readonly Diagnosis[],
  repropose: (diagnoses: readonly Diagnosis[]) => Proposals,
  applyPlan: (plan: RepairPlan) => Snapshot | undefined,
  context: VerifyContext,
): Promise<{ passed: number; of: number }> {
  const candidates = diagnoses
    .filter(({ evaluation }) => !context.named.has(evaluation.testCase.id))
    .slice(0, casesLeftOut)
  if (diagnoses.length < 2) return { passed: 0, of: 0 }
  let passed = 0
  for (const left of candidates) {
    const plan = repropose(diagnoses.filter((diagnosis) => diagnosis !== left)).plans[0]
    const snapshot = plan === undefined ? undefined : applyPlan(plan)
    if (snapshot === undefined) continue
    const { score } = await context.evaluator.evaluate(left.evaluation.testCase, snapshot, context.signal)
    if (score.verdict === 'pass') passed++
  }
  return { passed, of: candidates.length }
}

/** Asks every case on the candidate; those never asked before are asked on the current snapshot too. */
async function wholeBenchmark(
  snapshot: Snapshot,
  candidate: Snapshot,
  context: VerifyContext,
): Promise<Map<string, Evaluation>> {
  const after = new Map<string, Evaluation>()
  let asked = 0
  await schedule(context.benchmark, context.concurrency, context.signal, async (testCase) => {
    if (!context.current.has(testCase.id)) {
      context.current.set(testCase.id, await context.evaluator.evaluate(testCase, snapshot, context.signal))
    }
    const before = context.current.get(testCase.id)
    const first = await context.evaluator.evaluate(testCase, candidate, context.signal, before)
    const flipped =
      isPass(context.current.get(testCase.id)) && !isPass(first) && !context.evaluator.agent.deterministic
    after.set(
      testCase.id,
      flipped ? await context.evaluator.evaluateAfresh(testCase, candidate, context.signal) : first,
    )
    context.onProgress(++asked, context.benchmark.length)
  })
  return after
}

function readersOf(
  plan: RepairPlan,
  before: ReadonlyMap<string, Evaluation>,
  after: ReadonlyMap<string, Evaluation>,
  passingBefore: ReadonlySet<string>,
): string[] {
  const targets = new Set(plan.cases.map((testCase) => testCase.id))
  return [...passingBefore].filter((id) => {
    if (targets.has(id)) return false
    return answer(before.get(id)) !== answer(after.get(id)) || reads(after.get(id), plan)
  })
}

function reads(evaluation: Evaluation | undefined, plan: RepairPlan): boolean {
  const sample = evaluation?.sample
  if (sample === undefined || sample.kind === 'error') return false
  if (sample.read === 'all') return true
  const read = sample.read
  return plan.edits.some((edit) =>
    read.some(
      (entry) =>
        edit.path.endsWith(`/${entry.slice(entry.indexOf(':') + 1)}`) ||
        ('entry' in edit && edit.entry === entry),
    ),
  )
}

function answer(evaluation: Evaluation | undefined): string | undefined {
  const sample = evaluation?.sample
  if (sample === undefined) return undefined
  return sample.kind === 'sql' ? sample.sql : sample.message
}

function passing(evaluations: Iterable<Evaluation>): Set<string> {
  const ids = new Set<string>()
  for (const evaluation of evaluations) if (isPass(evaluation)) ids.add(evaluation.testCase.id)
  return ids
}

function isPass(evaluation: Evaluation | undefined): boolean {
  return evaluation?.score.verdict === 'pass'
}
