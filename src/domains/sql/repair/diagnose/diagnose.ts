import type { SqlCase } from '../../../../benchmark/case.js'
import type { KnowledgeBase, Metric } from '../../../../kb/entry.js'
import type { Binding, Interpretation } from '../../../../kb/question-interpretation.js'
import { renderSnippet } from '../../../../kb/render-snippet.js'
import { findMergeConflict, mergeConflict } from '../../../../snapshot/merge-conflict.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import type { TriageLabel } from '../../../../store/record-types.js'
import {
  interpretationOf,
  knowledgeBaseOf,
  matchesExpected,
  type RepairContext,
  renderQuery,
  snippetOf,
} from '../model/repair-context.js'
import type { Diagnosis, SqlEvaluation } from '../model/sql-repair-types.js'
import { findMetadataChanges } from './metadata-changes.js'

/**
 * Finds why a failing case fails, from the meaning of its question according to the knowledge base and from
 * its expected query. Cases that get a cluster key can be repaired; the others are reported to a person with
 * the cause.
 */
export function diagnose(evaluation: SqlEvaluation, snapshot: Snapshot, context: RepairContext): Diagnosis {
  const kb = knowledgeBaseOf(snapshot, context)
  const { testCase } = evaluation
  const interpretation = interpretationOf(testCase, kb, context)
  const finding = (label: TriageLabel, subject: string, cause: string, cluster?: string): Diagnosis => ({
    evaluation,
    label,
    subject,
    cause: [cause, ...describeRelativePeriods(interpretation)].join('; '),
    cluster,
    interpretation,
  })

  if (evaluation.sample.kind === 'unreadable')
    return finding('unreadable_answer', 'the agent', evaluation.sample.message)
  if (interpretation.kind === 'unbound' && interpretation.reason === 'broken_entry') {
    const [change] = findMetadataChanges(testCase, interpretation, snapshot, context).changes
    return change === undefined
      ? finding('broken_entry', subjectOf(interpretation.metric?.name), interpretation.message)
      : finding(change.label, change.subject, change.title, change.key)
  }
  if (interpretation.kind === 'bound') {
    const { metric, bindings } = interpretation
    const subject = subjectOf(metric.name)
    const problem = findRenderProblem(kb, metric.snippet, interpretation, context)
    if (problem !== undefined) return finding('broken_entry', subject, problem)
    if (matchesExpected(testCase, metric, bindings, kb, context)) {
      const failure = executionError(evaluation)
      const followed = isAnsweredFrom(evaluation, metric, bindings, kb, context)
      if (followed && failure !== undefined)
        return finding(
          'wrong_definition',
          subject,
          `the snippet of ${metric.name} matches the expected query, but the engine rejects it: ${failure}`,
          `definition:${metric.id}`,
        )
      if (!wasRead(evaluation, metric))
        return finding(
          'retrieval_miss',
          subject,
          `${metric.path} matches the expected query, but the agent did not find it`,
        )
      // An order that was not asked for fails a case if the policy requires the same structure.
      if (!followed || matchesExpected(testCase, metric, bindings, kb, context, true))
        return finding(
          'ignored_context',
          subject,
          `${metric.path} already matches the expected query, but the agent did not follow it`,
        )
    }
  }
  const { changes, conflict } = findMetadataChanges(testCase, interpretation, snapshot, context)
  const [change] = changes
  if (change !== undefined) return finding(change.label, change.subject, change.title, change.key)
  if (interpretation.kind === 'bound') {
    const { metric } = interpretation
    const unreadable = findSyntaxProblem(kb, metric, interpretation.bindings, context)
    return finding(
      'wrong_definition',
      subjectOf(metric.name),
      unreadable ?? `the snippet of ${metric.name} does not match the expected query`,
      `definition:${metric.id}`,
    )
  }
  const { metric, message, reason } = interpretation
  if (metric === undefined || reason === 'no_metric') {
    return finding(
      'missing_definition',
      'the knowledge base',
      `${message}; of no metric is the query provably the expected one`,
    )
  }
  const label = reason === 'missing_parameter' ? 'missing_value' : 'missing_definition'
  const why = conflict ?? explainNoChange(testCase, interpretation, metric, kb, context)
  return finding(label, subjectOf(metric.name), `${message}; ${why}`)
}

/**
 * Explains why no change of names is proposed. Words beside the name of a metric qualify it, unless the
 * author declares them meaningless.
 */
function explainNoChange(
  testCase: SqlCase,
  { bindings, missing, leftovers }: Extract<Interpretation, { kind: 'unbound' }>,
  metric: Metric,
  kb: KnowledgeBase,
  context: RepairContext,
): string {
  const isWhole = missing.length === 0 && matchesExpected(testCase, metric, bindings, kb, context)
  if (!isWhole)
    return `no change of aliases or values makes the query of ${metric.name} provably the expected one`
  const words = leftovers.map(({ text }) => `"${text}"`).join(', ')
  return `without ${words} the question means ${metric.name}, which matches the expected query: add the words to an alias of ${metric.path} if they do not change the meaning`
}

/**
 * Describes the days that the words of a relative period were resolved to: they cause half of the mistakes
 * with such periods.
 */
function describeRelativePeriods({ bindings }: Interpretation): string[] {
  return bindings.flatMap(({ value, span }) =>
    value.kind === 'date_range' && value.grain === 'relative' && span !== undefined
      ? [`"${span.text}" was interpreted as ${value.start} to ${value.end}`]
      : [],
  )
}

function subjectOf(metric: string | undefined): string {
  return metric === undefined ? 'the knowledge base' : `metric ${metric}`
}

function findRenderProblem(
  kb: KnowledgeBase,
  name: string,
  meaning: Extract<Diagnosis['interpretation'], { kind: 'bound' }>,
  context: RepairContext,
): string | undefined {
  const snippet = snippetOf(meaning.metric, kb)
  if (snippet === undefined) return `snippet ${name} of metric ${meaning.metric.name} cannot be read`
  const rendered = renderSnippet(snippet, meaning.metric, meaning.bindings, context.dialect)
  return rendered.kind === 'problem' ? `${snippet.path}: ${rendered.message}` : undefined
}

/**
 * Describes where and why a snippet is not a query; values are put on one line each, so that the snippet's
 * line numbers stay right.
 */
function findSyntaxProblem(
  kb: KnowledgeBase,
  metric: Metric,
  bindings: readonly Binding[],
  context: RepairContext,
): string | undefined {
  const snippet = snippetOf(metric, kb)
  const sql = renderQuery(metric, bindings, kb, context)
  if (snippet === undefined || sql === undefined) return undefined
  if (snippet.text.trim() === '') return `${snippet.path} is empty`
  const outcome = context.parser.parse(sql, context.dialect)
  if (outcome.kind !== 'unparsable') return undefined
  const conflict = findMergeConflict(snippet.text)
  if (conflict !== undefined) return `${snippet.path}:${conflict}: ${mergeConflict.message}`
  const line = outcome.line === undefined ? '' : `:${outcome.line}`
  return `${snippet.path}${line} is not valid SQL: ${outcome.message}`
}

/** Returns why the agent's query did not run, as the engine reports it. */
function executionError({ score }: SqlEvaluation): string | undefined {
  return score.results?.kind === 'generated_failed' ? score.results.message : undefined
}

/** Reports whether the agent read the metric, as far as it lists what it read. */
function wasRead({ sample }: SqlEvaluation, { id }: Metric): boolean {
  return sample.kind === 'error' || sample.read === 'all' || sample.read.includes(id)
}

/** Reports whether the agent's answer is, word for word, the query that the knowledge base gives. */
function isAnsweredFrom(
  { sample }: SqlEvaluation,
  metric: Metric,
  bindings: readonly Binding[],
  kb: KnowledgeBase,
  context: RepairContext,
): boolean {
  return sample.kind === 'answer' && renderQuery(metric, bindings, kb, context)?.trim() === sample.text.trim()
}
