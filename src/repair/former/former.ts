import type { Metric } from '../../kb/entry.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { canonicalForm } from '../../sql/canonical-form.js'
import type { PlanOutcome, ProposalContext } from '../ask-proposer.js'
import type { RepairInput } from '../input.js'
import { knowledgeOf, meaningOf, type RepairContext, saysExpected, snippetOf } from '../knowledge.js'
import type { Diagnosis, RepairPlan } from '../plan.js'
import { planned } from '../planned.js'
import { type FormerCandidate, formerSnippets } from '../propose/former.js'
import { formerValues } from '../propose/names/former-values.js'
import { leftOutOnce } from '../verify/held-out.js'
import { formerEntries, pathOf, sharedBroken } from './broken-entry.js'
import { type FormerChoice, formerPlan, queryFor, servedBy } from './choice.js'
import { jointPlan } from './joint.js'
import { lostFileOf, lostStates } from './lost-files.js'
import { purposeOf } from './purpose.js'

/** Former states of an entry whose answers are looked at: each may run a query for each case. */
const mostStates = 8

/** What becomes of a plan that was not made without the cases left out: how many of those it would have been chosen without. */
export interface FormerContext extends Omit<ProposalContext, 'tryPlan'> {
  readonly tryPlan: (plan: RepairPlan, leftOut: LeftOut, about: readonly Diagnosis[]) => Promise<PlanOutcome>
}

export interface LeftOut {
  readonly passed: number
  readonly of: number
}

/**
 * Tries what the entries that are to blame once were, newest first, where the rules abstain: an expected query of another
 * structure than the snippet says nothing of how to mend it, and running both shows what is right. What was changed
 * together with the metric's cases was changed on purpose.
 */
export async function tryFormer(
  diagnoses: readonly Diagnosis[],
  context: FormerContext,
): Promise<'accepted' | 'tried' | 'none'> {
  const { input, findings, snapshot } = context
  if (input.history === undefined) return 'none'
  const lost = lostFileOf(diagnoses)
  const states =
    lost === undefined ? statesOf(diagnoses, snapshot, input) : lostStates(lost, diagnoses, snapshot, input)
  const tried: FormerChoice[] = []
  const retries = Math.max(0, ...diagnoses.map((diagnosis) => findings.of(diagnosis)?.retries ?? 0))
  let left = input.maxRetries - retries
  let outcome: 'tried' | 'none' = 'none'
  for await (const state of states) {
    if (input.signal.aborted || left <= 0) break
    tried.push(state)
    const { undoes, plan, after, metric, served } = state
    // Cases that a lost file alone does not serve can be looked at once it is back.
    const about = lost === undefined ? diagnoses : diagnoses.filter((each) => serves(state, each))
    const joint =
      served.size < about.length && lost === undefined ? await jointPlan(state, diagnoses, input) : undefined
    if (served.size < about.length && joint === undefined) continue
    const { suspect, doubts } = await purposeOf(undoes, plan, metric, snapshot, after, input)
    if (suspect !== undefined) {
      for (const diagnosis of about) findings.suspect(diagnosis, suspect, snapshot)
      return 'tried'
    }
    const leftOut = joint?.leftOut ?? leftOutOf(state, tried, about, input)
    const came = await context.tryPlan({ ...(joint?.plan ?? plan), doubts }, leftOut, about)
    if (came === 'accepted') return 'accepted'
    if (came === 'invalid') continue
    outcome = 'tried'
    left--
    if (came === 'obstructed' || came === 'unverified' || diagnoses.some(context.isSuspect)) break
  }
  return outcome
}

function serves({ served }: FormerChoice, { evaluation }: Diagnosis): boolean {
  return served.has(evaluation.testCase.id)
}

function sharedMetric(diagnoses: readonly Diagnosis[]): Metric | undefined {
  const [first, ...more] = diagnoses.map(({ interpretation }) => interpretation.metric)
  return more.every((metric) => metric?.id === first?.id) ? first : undefined
}

/** Former states that say something else than today, each once, with what they give the cases. */
async function* statesOf(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  input: RepairInput,
): AsyncGenerator<FormerChoice, void> {
  const metric = sharedMetric(diagnoses)
  if (metric !== undefined) yield* statesOfMetric(metric, diagnoses, snapshot, input)
  const broken = sharedBroken(diagnoses)
  if (broken === undefined) return
  const states = (await input.history?.textsOf(pathOf(broken))) ?? []
  for (const candidate of formerEntries(broken, states, diagnoses, snapshot, input)) {
    const after = planned(candidate, snapshot)
    const entry = after && knowledgeOf(after, input).metrics.find(({ id }) => id === broken.id)
    if (after === undefined || entry === undefined) continue
    const plan = planOf(candidate, entry, diagnoses, after, input)
    const served = await servedBy(after, entry, diagnoses, input)
    yield { plan, after, metric: entry, undoes: candidate.undoes, served }
  }
}

async function* statesOfMetric(
  metric: Metric,
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  input: RepairInput,
): AsyncGenerator<FormerChoice, void> {
  const seen = new Set([meaningIn(snapshot, metric, diagnoses, input).join('\0')])
  for (const candidate of await candidates(metric, diagnoses, snapshot, input)) {
    const after = planned(candidate, snapshot)
    if (after === undefined) continue
    const plan = planOf(candidate, metric, diagnoses, after, input)
    const meaning = meaningIn(after, metric, diagnoses, input).join('\0')
    if (seen.has(meaning)) continue
    if (seen.size > mostStates) return
    seen.add(meaning)
    const served = await servedBy(after, metric, diagnoses, input)
    yield { plan, after, metric, undoes: candidate.undoes, served }
  }
}

async function candidates(
  metric: Metric,
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  input: RepairInput,
): Promise<FormerCandidate[]> {
  const snippet = snippetOf(metric, knowledgeOf(snapshot, input))
  const isBound = diagnoses.every(
    ({ interpretation, label }) => interpretation.kind === 'bound' || label === 'broken_entry',
  )
  const states = async (path: string) => (await input.history?.textsOf(path)) ?? []
  return [
    ...(snippet === undefined || !isBound ? [] : formerSnippets(metric, snippet, await states(snippet.path))),
    ...formerValues(metric, await states(metric.path), diagnoses, snapshot, input),
  ]
}

/** What the metric says in answer to each case, in canonical form where it has one. */
function meaningIn(
  snapshot: Snapshot,
  metric: Metric,
  diagnoses: readonly Diagnosis[],
  input: RepairInput,
): string[] {
  return diagnoses.map(({ evaluation }) => {
    const sql = queryFor(evaluation.testCase, snapshot, metric, input)
    return sql === undefined ? '' : (canonicalForm(input.parser, sql, input.dialect) ?? sql)
  })
}

function planOf(
  { path, title, edits, undoes }: FormerCandidate,
  metric: Metric,
  diagnoses: readonly Diagnosis[],
  after: Snapshot,
  context: RepairContext,
): RepairPlan {
  const isBroken = diagnoses.some((each) => each.label === 'broken_entry')
  const isUnbound = diagnoses.some(({ interpretation }) => interpretation.kind === 'unbound')
  const label = isBroken ? 'broken_entry' : isUnbound ? 'missing_value' : 'wrong_definition'
  const kb = knowledgeOf(after, context)
  const saysSo = diagnoses.every(({ evaluation: { testCase } }) => {
    const meaning = meaningOf(testCase, kb, context)
    return meaning.kind === 'bound' && saysExpected(testCase, meaning.metric, meaning.bindings, kb, context)
  })
  const gives = saysSo
    ? 'says what the expected query says'
    : 'gives what the expected query gives, which says it in another structure'
  const reasoning = `with what ${path} said before ${undoes.at(-1) ?? ''}, ${metric.name} ${gives}`
  return formerPlan({ label, title, reasoning, edits }, metric, diagnoses)
}

/** Of the cases, how many the state would have been chosen without: the first one that serves all the others. */
function leftOutOf(
  chosen: FormerChoice,
  tried: readonly FormerChoice[],
  diagnoses: readonly Diagnosis[],
  { named }: RepairInput,
): LeftOut {
  const groups = leftOutOnce(diagnoses, named)
  const passed = groups.filter(({ others }) => {
    const first = tried.find((state) => others.every((each) => serves(state, each)))
    return first === chosen
  })
  return { passed: passed.length, of: groups.length }
}
