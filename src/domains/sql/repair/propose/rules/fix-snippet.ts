import type { Edit } from '../../../../../edit/edit-types.js'
import type { KnowledgeBase, Metric, Snippet } from '../../../../../kb/entry.js'
import { findPlaceholders } from '../../../../../kb/render-snippet.js'
import { detectLineEnding, splitLines } from '../../../../../snapshot/line-endings.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import {
  expectedSqlFor,
  knowledgeBaseOf,
  type RepairContext,
  renderEdits,
  rewriteQuery,
  snippetOf,
} from '../../model/repair-context.js'
import type { Diagnosis, ProposalRequest, Proposals, RepairPlan } from '../../model/sql-repair-types.js'
import { type AlternativeDefault, findAlternativeDefaults } from './alternative-defaults.js'
import { type EntryTask, toReason } from './entry-task.js'
import { proposeMissingSnippet } from './missing-snippet.js'
import { proposeSnippets, type SnippetProposal } from './snippet-proposals.js'

/**
 * Proposes plans that change the snippet of a metric so that it is equivalent to the expected queries of its
 * failing cases.
 */
export function proposeDefinition(
  request: ProposalRequest,
  snapshot: Snapshot,
  context: RepairContext,
): Proposals {
  const task = snippetTask(request, snapshot, context)
  if (task === undefined) return { plans: [], abstained: 'no snippet to change' }
  const { metric, snippet, examples, planOf } = task
  if (snippet.text.trim() === '') return proposeMissingSnippet(request, metric, snapshot, context)
  const shared = { parser: context.parser, dialect: context.dialect, metric, snippet }
  const { proposals, abstained } = proposeSnippets({ ...shared, examples })
  const plans = proposals.map(planOf)
  // One case does not distinguish a wrong default from a snippet that should not use the parameter.
  if (examples.length < 2 || proposals.some(({ text }) => keepsParameters(snippet.text, text))) {
    return abstained === undefined ? { plans } : { plans, abstained }
  }
  const withDefaults = findAlternativeDefaults(metric, snippet, examples, context).flatMap((other) =>
    proposeSnippets({ ...shared, examples: other.examples })
      .proposals.filter(({ text }) => keepsParameters(snippet.text, text))
      .map((proposal) =>
        withDefaultChange(planOf(proposal), other, renderEdits(other.change.edits, snapshot, context)),
      ),
  )
  withDefaults.sort((a, b) => a.size - b.size)
  const all = [...withDefaults, ...plans]
  return abstained === undefined || all.length > 0 ? { plans: all } : { plans: all, abstained }
}

/** Returns the snippet that all cases of a request were answered from; undefined if there is none. */
export function snippetTask(
  request: ProposalRequest,
  snapshot: Snapshot,
  context: RepairContext,
): (Omit<EntryTask, 'planOf'> & { readonly planOf: (proposal: SnippetProposal) => RepairPlan }) | undefined {
  const metric = sharedMetric(request.diagnoses)
  const kb = knowledgeBaseOf(snapshot, context)
  const snippet = metric === undefined ? undefined : snippetOf(metric, kb)
  if (metric === undefined || snippet === undefined) return undefined
  const examples = request.diagnoses.flatMap(({ evaluation, interpretation }) => {
    const expectedSql = expectedSqlFor(evaluation.testCase, context)
    if (expectedSql === undefined || interpretation.kind !== 'bound') return []
    const { testCase } = evaluation
    const schema = context.schemaOf?.(testCase)
    const { bindings, metric: asked } = interpretation
    return [{ caseId: testCase.id, expectedSql, bindings, metric: asked, schema }]
  })
  const planOf = (proposal: SnippetProposal): RepairPlan => ({
    label: 'wrong_definition',
    subject: request.subject,
    title: proposal.title.replace(`${metric.name}:`, () => `${namesOf(request.diagnoses)}:`),
    reasoning: `every failing expected query of ${namesOf(request.diagnoses)} ${proposal.explanation.map(toReason).join(', and ')}`,
    edits: rewriteQuery(snippet, withFinalNewline(proposal.text, snippet, kb), snapshot, context),
    cases: request.diagnoses.map((diagnosis) => diagnosis.evaluation.testCase),
    goldExposed: true,
    size: proposal.changedTokens,
    signature: [...proposal.explanation].sort().join('; '),
  })
  return { metric, snippet, examples, planOf }
}

/** Combines both edits in one plan: with either of them alone the cases would still fail. */
function withDefaultChange(
  plan: RepairPlan,
  { change }: AlternativeDefault,
  edits: readonly Edit[],
): RepairPlan {
  const ownWords = change.title.slice(change.title.indexOf(': ') + 2)
  return {
    ...plan,
    title: `${plan.title}; ${ownWords}`,
    reasoning: `${plan.reasoning}, given that ${ownWords}`,
    edits: [...plan.edits, ...edits],
    signature: `${plan.signature}; ${ownWords}`,
  }
}

function keepsParameters(before: string, after: string): boolean {
  const left = new Set(findPlaceholders(after).map(({ name }) => name))
  return findPlaceholders(before).every(({ name }) => left.has(name))
}

/**
 * Adds a final newline if the last line is new and most snippets end with one: whatever truncated the file
 * removed that, too.
 */
function withFinalNewline(
  text: string,
  { name, text: before }: Snippet,
  { snippets }: KnowledgeBase,
): string {
  if (/[\r\n]$/.test(text) || splitLines(text).at(-1) === splitLines(before).at(-1)) return text
  const others = [...snippets.values()].filter((other) => other.name !== name && other.text !== '')
  const ended = others.filter((other) => /[\r\n]$/.test(other.text))
  if (2 * ended.length <= others.length) return text
  return text + detectLineEnding(text)
}

/** Returns the names of the metrics that share the snippet and are asked for. */
function namesOf(diagnoses: readonly Diagnosis[]): string {
  return [...new Set(diagnoses.map(({ interpretation }) => interpretation.metric?.name ?? ''))].join(', ')
}

function sharedMetric(diagnoses: readonly Diagnosis[]): Metric | undefined {
  const first = diagnoses[0]?.interpretation
  return first?.kind === 'bound' ? first.metric : undefined
}
