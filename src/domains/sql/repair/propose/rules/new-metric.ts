import type { SqlCase } from '../../../../../benchmark/case.js'
import type { KnowledgeBase, Metric, Snippet } from '../../../../../kb/entry.js'
import { findPlaceholders, renderSnippet } from '../../../../../kb/render-snippet.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { type ParameterReading, readCommonParameters } from '../../model/common-parameters.js'
import { createEquivalenceGate } from '../../model/equivalence-with-expected.js'
import { uncoveredName } from '../../model/missing-metric-name.js'
import { questionValues } from '../../model/question-values.js'
import {
  expectedSqlFor,
  formatOf,
  knowledgeBaseOf,
  type RepairContext,
  tokensOf,
} from '../../model/repair-context.js'
import type { Diagnosis, ProposalRequest, Proposals, RepairPlan } from '../../model/sql-repair-types.js'
import { substitutePlaceholders } from './sql-writer.js'

/** A new metric according to one failing case. */
export interface MetricDraft {
  readonly alias: string
  readonly reading: ParameterReading
  /** SQL with placeholders. */
  readonly text: string
  /** An equivalent snippet that no metric uses. */
  readonly existing: Snippet | undefined
}

/** Cached, because every pass over the open cases needs the drafts again. */
const known = new WeakMap<KnowledgeBase, Map<SqlCase, MetricDraft | undefined>>()

/**
 * Drafts a metric named by the words of the question that are not part of a value, with its expected query
 * and placeholders for the question's values; undefined if a value cannot be found in the query, or the words
 * make no alias.
 */
export function draftMetric(
  { evaluation: { testCase } }: Diagnosis,
  kb: KnowledgeBase,
  context: RepairContext,
): MetricDraft | undefined {
  const drafts = known.get(kb) ?? new Map<SqlCase, MetricDraft | undefined>()
  known.set(kb, drafts)
  if (!drafts.has(testCase)) drafts.set(testCase, draftFrom(testCase, kb, context))
  return drafts.get(testCase)
}

function draftFrom(testCase: SqlCase, kb: KnowledgeBase, context: RepairContext): MetricDraft | undefined {
  const reading = readCommonParameters(testCase.question, kb, context.asOf(testCase))
  const expectedSql = expectedSqlFor(testCase, context)
  if (reading === undefined || expectedSql === undefined) return undefined
  const alias = uncoveredName(testCase.question, reading)
  if (alias === undefined) return undefined
  const { parser, dialect } = context
  const values = questionValues(reading.bindings, parser, dialect)
  const text = `${substitutePlaceholders(expectedSql, tokensOf(expectedSql, dialect, parser), values).trim()}\n`
  const draft = { alias, reading, text, existing: undefined }
  if (!matchesDraft(draft, text, expectedSql, reading, context)) return undefined
  const used = new Set(kb.metrics.map(({ snippet }) => snippet))
  const idle = [...kb.snippets.values()].filter(({ name }) => !used.has(name))
  return {
    ...draft,
    existing: idle.find((snippet) => matchesDraft(draft, snippet.text, expectedSql, reading, context)),
  }
}

/** Reports whether the draft's SQL is what another case expects, too. */
export function draftMatches(
  draft: MetricDraft,
  { evaluation: { testCase } }: Diagnosis,
  kb: KnowledgeBase,
  context: RepairContext,
): boolean {
  const reading = readCommonParameters(testCase.question, kb, context.asOf(testCase))
  const expectedSql = expectedSqlFor(testCase, context)
  if (reading === undefined || expectedSql === undefined) return false
  return matchesDraft(draft, draft.existing?.text ?? draft.text, expectedSql, reading, context)
}

/** Reports whether the draft matches and uses every parameter that the question names. */
function matchesDraft(
  draft: MetricDraft,
  text: string,
  expectedSql: string,
  { bindings }: ParameterReading,
  { parser, dialect }: RepairContext,
): boolean {
  const used = new Set(findPlaceholders(text).map(({ name }) => name))
  const { parameters } = draft.reading
  if (used.size !== parameters.size || ![...parameters.keys()].every((name) => used.has(name))) return false
  const rendered = renderSnippet({ id: '', name: '', path: '', text }, metricOf(draft), bindings, dialect)
  return (
    rendered.kind === 'sql' &&
    createEquivalenceGate(parser, expectedSql, dialect)?.isAcceptable(rendered.sql) === true
  )
}

function metricOf({ alias, reading: { parameters } }: MetricDraft): Metric {
  return { id: '', name: '', title: alias, aliases: [alias], snippet: '', path: '', parameters }
}

/**
 * Proposes a plan that creates the metric, and its snippet unless an unused one exists; it requires two
 * cases.
 */
export function proposeMetric(
  request: ProposalRequest,
  snapshot: Snapshot,
  context: RepairContext,
): Proposals {
  const kb = knowledgeBaseOf(snapshot, context)
  const drafts = request.diagnoses.map((diagnosis) => draftMetric(diagnosis, kb, context))
  const [draft] = drafts
  const allCasesMatch =
    draft !== undefined && request.diagnoses.every((each) => draftMatches(draft, each, kb, context))
  if (!allCasesMatch) return { plans: [], abstained: 'no new metric would match its cases' }
  const aliases = [...new Set(drafts.flatMap((each) => (each === undefined ? [] : [each.alias])))]
  const name = unusedName(draft, kb, snapshot, context)
  const { creation } = formatOf(context)
  const query = draft.existing?.name ?? creation.queryName(name)
  const { parameters } = draft.reading
  const title = titleFrom(aliases[0] ?? name)
  const edits = creation.create(
    {
      query: draft.existing === undefined ? { name: query, text: draft.text } : undefined,
      metric: { name, title, aliases, query, parameters },
    },
    snapshot,
    context.kbFolder,
  )
  const plan: RepairPlan = {
    label: 'missing_definition',
    subject: `metric ${name}`,
    title: `${name}: no metric for "${draft.alias}"`,
    reasoning: `the expected queries of "${draft.alias}" are one query with the ${[...parameters.keys()].join(', ')} of each question`,
    edits,
    cases: request.diagnoses.map(({ evaluation }) => evaluation.testCase),
    goldExposed: true,
    size: draft.text.length,
    signature: '',
  }
  return { plans: [plan] }
}

/**
 * Returns the unused snippet's name, or the alias as a name; with a number if a file or metric has that
 * already.
 */
function unusedName(
  { alias, existing }: MetricDraft,
  kb: KnowledgeBase,
  snapshot: Snapshot,
  context: RepairContext,
): string {
  const { creation } = formatOf(context)
  const words = alias
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '')
  const suggested = existing && creation.metricNameOf(existing.name)
  const base = suggested ?? (words === '' ? 'metric' : words)
  const isTaken = (name: string): boolean =>
    !creation.isFree(name, existing === undefined, snapshot, context.kbFolder) ||
    [...kb.metrics, ...kb.broken].some((metric) => metric.name === name)
  let name = base
  for (let number = 2; isTaken(name); number++) name = `${base}_${number}`
  return name
}

function titleFrom(alias: string): string {
  return alias.charAt(0).toUpperCase() + alias.slice(1)
}
