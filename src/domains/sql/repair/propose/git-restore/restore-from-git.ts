import type { Metric } from '../../../../../kb/entry.js'
import type { HeldOutScore } from '../../../../../repair/model/candidate.js'
import { crossValidationSplits } from '../../../../../repair/model/held-out-split.js'
import type { Restoration } from '../../../../../repair/model/repair-domain.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { canonicalForm } from '../../../../../sql/index.js'
import { knowledgeBaseOf, type RepairContext, snippetOf } from '../../model/repair-context.js'
import type { RestoreContext } from '../../model/scoring-context.js'
import type { Diagnosis, RepairPlan, SqlTypes } from '../../model/sql-repair-types.js'
import { applyPlan } from '../../model/sql-repair-types.js'
import { deletedFileOf, deletedFileOptions } from './deleted-files.js'
import { combinePlans } from './restore-and-repair-plan.js'
import { brokenEntryPath, restorableEntries, sharedBrokenEntry } from './restore-broken-entry.js'
import {
  casesPassingWith,
  createRestorePlan,
  describeResult,
  type RestoreOption,
  renderQueryFor,
} from './restore-option.js'
import { type RestoreCandidate, restorableSnippets } from './restore-snippet.js'
import { restorableValues } from './restore-values.js'
import { undoBreakingChange } from './undo-breaking-change.js'

/** How many former states of an entry are tried: each may run a query for each case. */
const maxVersions = 8

/**
 * Yields former states of the faulty entries, newest first, as far as the cases pass with them: if the
 * expected query differs from the snippet in structure, it does not show how to repair the snippet, but
 * running both shows which is right. A change made together with the metric's cases was made on purpose.
 */
export async function* restorationsFromGit(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: RestoreContext,
): AsyncGenerator<Restoration<SqlTypes>, void> {
  if (context.history === undefined) return
  const lost = deletedFileOf(diagnoses)
  const options =
    lost === undefined
      ? restoreOptions(diagnoses, snapshot, context)
      : deletedFileOptions(lost, diagnoses, snapshot, context)
  const tried: RestoreOption[] = []
  for await (const option of options) {
    tried.push(option)
    const { plan, passingCases } = option
    // Cases that still fail with the deleted file alone can be examined once it is restored.
    const about = lost === undefined ? diagnoses : diagnoses.filter((each) => passesCase(option, each))
    const isEnough = passingCases.size >= about.length
    const combined =
      isEnough || lost !== undefined ? undefined : await combinePlans(option, diagnoses, context)
    if (!isEnough && combined === undefined) continue
    yield {
      plan: { ...(combined?.plan ?? plan), concerns: [] },
      about,
      crossValidation: combined?.crossValidation ?? crossValidate(option, tried, about, context),
    }
  }
}

function passesCase({ passingCases }: RestoreOption, { evaluation }: Diagnosis): boolean {
  return passingCases.has(evaluation.testCase.id)
}

function sharedMetric(diagnoses: readonly Diagnosis[]): Metric | undefined {
  const [first, ...more] = diagnoses.map(({ interpretation }) => interpretation.metric)
  return more.every((metric) => metric?.id === first?.id) ? first : undefined
}

/**
 * Yields former states that differ in meaning from today's, each once, with the cases that pass with them.
 */
async function* restoreOptions(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  input: RestoreContext,
): AsyncGenerator<RestoreOption, void> {
  const undone = await undoBreakingChange(diagnoses, snapshot, input)
  if (undone !== undefined) yield undone
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
  input: RestoreContext,
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
  input: RestoreContext,
): Promise<RestoreCandidate[]> {
  const snippet = snippetOf(metric, knowledgeBaseOf(snapshot, input))
  const isBound = diagnoses.every(
    ({ interpretation, label }) => interpretation.kind === 'bound' || label === 'broken_entry',
  )
  const states = async (path: string) => (await input.history?.versionsOf(path)) ?? []
  return [
    ...(snippet === undefined || !isBound
      ? []
      : restorableSnippets(metric, snippet, await states(snippet.path), snapshot, input)),
    ...restorableValues(metric, await states(metric.path), diagnoses, snapshot, input),
  ]
}

/** Returns the metric's query for each case, in canonical form if it has one. */
function canonicalQueries(
  snapshot: Snapshot,
  metric: Metric,
  diagnoses: readonly Diagnosis[],
  input: RestoreContext,
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
  const gives = describeResult(diagnoses, after, context)
  const reasoning = `with ${path} as it was before ${undoes.at(-1) ?? ''}, ${metric.name} ${gives}`
  return createRestorePlan({ label, title, reasoning, edits }, metric, diagnoses)
}

/**
 * Counts the cases without which the state would still have been chosen: as the first one with which all the
 * others pass.
 */
function crossValidate(
  chosen: RestoreOption,
  tried: readonly RestoreOption[],
  diagnoses: readonly Diagnosis[],
  { named }: RestoreContext,
): HeldOutScore {
  const groups = crossValidationSplits<SqlTypes>(diagnoses, named)
  const passed = groups.filter(({ others }) => {
    const first = tried.find((state) => others.every((each) => passesCase(state, each)))
    return first === chosen
  })
  return { passed: passed.length, of: groups.length }
}
