import type { Metric } from '../../kb/entry.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { canonicalForm } from '../../sql/canonical-form.js'
import type { PlanOutcome, ProposalContext } from '../ask-proposer.js'
import type { RepairInput } from '../input.js'
import {
  interpretationOf,
  knowledgeBaseOf,
  matchesExpected,
  type RepairContext,
  snippetOf,
} from '../knowledge.js'
import type { Diagnosis, RepairPlan } from '../plan.js'
import { applyPlan } from '../planned.js'
import { type RestoreCandidate, restorableSnippets } from '../propose/former.js'
import { restorableValues } from '../propose/names/former-values.js'
import { crossValidationSplits } from '../verify/held-out.js'
import { brokenEntryPath, restorableEntries, sharedBrokenEntry } from './broken-entry.js'
import { casesPassingWith, createRestorePlan, type RestoreOption, renderQueryFor } from './choice.js'
import { combinePlans } from './joint.js'
import { deletedFileOf, deletedFileOptions } from './lost-files.js'
import { findIntentEvidence } from './purpose.js'

/** Former states of an entry whose answers are looked at: each may run a query for each case. */
const maxVersions = 8

/** What becomes of a plan that was not made without the cases left out: how many of those it would have been chosen without. */
export interface RestoreContext extends Omit<ProposalContext, 'tryPlan'> {
  readonly tryPlan: (
    plan: RepairPlan,
    crossValidation: CrossValidationResult,
    about: readonly Diagnosis[],
  ) => Promise<PlanOutcome>
}

export interface CrossValidationResult {
  readonly passed: number
  readonly of: number
}

/**
 * Tries what the entries that are to blame once were, newest first, where the rules abstain: an expected query of another
 * structure than the snippet says nothing of how to mend it, and running both shows what is right. What was changed
 * together with the metric's cases was changed on purpose.
 */
export async function tryGitRestore(
  diagnoses: readonly Diagnosis[],
  context: RestoreContext,
): Promise<'accepted' | 'tried' | 'none'> {
  const { input, findings, snapshot } = context
  if (input.history === undefined) return 'none'
  const lost = deletedFileOf(diagnoses)
  const states =
    lost === undefined
      ? restoreOptions(diagnoses, snapshot, input)
      : deletedFileOptions(lost, diagnoses, snapshot, input)
  const tried: RestoreOption[] = []
  const retries = Math.max(0, ...diagnoses.map((diagnosis) => findings.of(diagnosis)?.retries ?? 0))
  let left = input.maxRetries - retries
  let outcome: 'tried' | 'none' = 'none'
  for await (const state of states) {
    if (input.signal.aborted || left <= 0) break
    tried.push(state)
    const { undoes, plan, after, metric, passingCases } = state
    // Cases that a lost file alone does not serve can be looked at once it is back.
    const about = lost === undefined ? diagnoses : diagnoses.filter((each) => passesCase(state, each))
    const joint =
      passingCases.size < about.length && lost === undefined
        ? await combinePlans(state, diagnoses, input)
        : undefined
    if (passingCases.size < about.length && joint === undefined) continue
    const { suspect, concerns } = await findIntentEvidence(undoes, plan, metric, snapshot, after, input)
    if (suspect !== undefined) {
      for (const diagnosis of about) findings.recordSuspect(diagnosis, suspect, snapshot)
      return 'tried'
    }
    const crossValidation = joint?.crossValidation ?? crossValidate(state, tried, about, input)
    const came = await context.tryPlan({ ...(joint?.plan ?? plan), concerns }, crossValidation, about)
    if (came === 'accepted') return 'accepted'
    if (came === 'invalid') continue
    outcome = 'tried'
    left--
    if (came === 'obstructed' || came === 'unverified' || diagnoses.some(context.isSuspect)) break
  }
  return outcome
}

function passesCase({ passingCases }: RestoreOption, { evaluation }: Diagnosis): boolean {
  return passingCases.has(evaluation.testCase.id)
}

function sharedMetric(diagnoses: readonly Diagnosis[]): Metric | undefined {
  const [first, ...more] = diagnoses.map(({ interpretation }) => interpretation.metric)
  return more.every((metric) => metric?.id === first?.id) ? first : undefined
}

/** Former states that say something else than today, each once, with what they give the cases. */
async function* restoreOptions(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  input: RepairInput,
): AsyncGenerator<RestoreOption, void> {
  const metric = sharedMetric(diagnoses)
  if (metric !== undefined) yield* metricRestoreOptions(metric, diagnoses, snapshot, input)
  const broken = sharedBrokenEntry(diagnoses)
  if (broken === undefined) return
  const states = (await input.history?.versionsOf(brokenEntryPath(broken))) ?? []
  for (const candidate of restorableEntries(broken, states, diagnoses, snapshot, input)) {
    const after = applyPlan(candidate, snapshot)
    const entry = after && knowledgeBaseOf(after, input).metrics.find(({ id }) => id === broken.id)
    if (after === undefined || entry === undefined) continue
    const plan = planOf(candidate, entry, diagnoses, after, input)
    const passingCases = await casesPassingWith(after, entry, diagnoses, input)
    yield { plan, after, metric: entry, undoes: candidate.undoes, passingCases }
  }
}

async function* metricRestoreOptions(
  metric: Metric,
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  input: RepairInput,
): AsyncGenerator<RestoreOption, void> {
  const seen = new Set([canonicalQueries(snapshot, metric, diagnoses, input).join('\0')])
  for (const candidate of await candidates(metric, diagnoses, snapshot, input)) {
    const after = applyPlan(candidate, snapshot)
    if (after === undefined) continue
    const plan = planOf(candidate, metric, diagnoses, after, input)
    const meaning = canonicalQueries(after, metric, diagnoses, input).join('\0')
    if (seen.has(meaning)) continue
    if (seen.size > maxVersions) return
    seen.add(meaning)
    const passingCases = await casesPassingWith(after, metric, diagnoses, input)
    yield { plan, after, metric, undoes: candidate.undoes, passingCases }
  }
}

async function candidates(
  metric: Metric,
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  input: RepairInput,
): Promise<RestoreCandidate[]> {
  const snippet = snippetOf(metric, knowledgeBaseOf(snapshot, input))
  const isBound = diagnoses.every(
    ({ interpretation, label }) => interpretation.kind === 'bound' || label === 'broken_entry',
  )
  const states = async (path: string) => (await input.history?.versionsOf(path)) ?? []
  return [
    ...(snippet === undefined || !isBound
      ? []
      : restorableSnippets(metric, snippet, await states(snippet.path))),
    ...restorableValues(metric, await states(metric.path), diagnoses, snapshot, input),
  ]
}

/** What the metric says in answer to each case, in canonical form where it has one. */
function canonicalQueries(
  snapshot: Snapshot,
  metric: Metric,
  diagnoses: readonly Diagnosis[],
  input: RepairInput,
): string[] {
  return diagnoses.map(({ evaluation }) => {
    const sql = renderQueryFor(evaluation.testCase, snapshot, metric, input)
    return sql === undefined ? '' : (canonicalForm(input.parser, sql, input.dialect) ?? sql)
  })
}

function planOf(
  { path, title, edits, undoes }: RestoreCandidate,
  metric: Metric,
  diagnoses: readonly Diagnosis[],
  after: Snapshot,
  context: RepairContext,
): RepairPlan {
  const isBroken = diagnoses.some((each) => each.label === 'broken_entry')
  const isUnbound = diagnoses.some(({ interpretation }) => interpretation.kind === 'unbound')
  const label = isBroken ? 'broken_entry' : isUnbound ? 'missing_value' : 'wrong_definition'
  const kb = knowledgeBaseOf(after, context)
  const saysSo = diagnoses.every(({ evaluation: { testCase } }) => {
    const meaning = interpretationOf(testCase, kb, context)
    return (
      meaning.kind === 'bound' && matchesExpected(testCase, meaning.metric, meaning.bindings, kb, context)
    )
  })
  const gives = saysSo
    ? 'says what the expected query says'
    : 'gives what the expected query gives, which says it in another structure'
  const reasoning = `with what ${path} said before ${undoes.at(-1) ?? ''}, ${metric.name} ${gives}`
  return createRestorePlan({ label, title, reasoning, edits }, metric, diagnoses)
}

/** Of the cases, how many the state would have been chosen without: the first one that serves all the others. */
function crossValidate(
  chosen: RestoreOption,
  tried: readonly RestoreOption[],
  diagnoses: readonly Diagnosis[],
  { named }: RepairInput,
): CrossValidationResult {
  const groups = crossValidationSplits(diagnoses, named)
  const passed = groups.filter(({ others }) => {
    const first = tried.find((state) => others.every((each) => passesCase(state, each)))
    return first === chosen
  })
  return { passed: passed.length, of: groups.length }
}
