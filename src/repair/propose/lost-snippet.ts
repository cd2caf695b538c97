import type { SqlCase } from '../../benchmark/case.js'
import type { CreateEdit } from '../../edit/edit.js'
import type { Metric } from '../../kb/entry.js'
import { type Snapshot, withFiles } from '../../snapshot/snapshot.js'
import {
  expectedFor,
  knowledgeOf,
  meaningOf,
  meansExpected,
  type RepairContext,
  tokensOf,
} from '../knowledge.js'
import type { ProposalRequest, Proposals } from '../plan.js'
import { questionValues } from './template.js'
import { withPlaceholders } from './write.js'

/**
 * Writes the snippet of a metric that names one which is nowhere: the expected query of one case, with placeholders where the
 * question's values stand, has to be what every other case expects, too. One case alone does not tell what of it is its own.
 */
export function proposeLostSnippet(
  { diagnoses, subject }: ProposalRequest,
  metric: Metric,
  snapshot: Snapshot,
  context: RepairContext,
): Proposals {
  const cases = diagnoses.map(({ evaluation }) => evaluation.testCase)
  const [model] = cases
  const edit = model && draftSnippet(metric, model, snapshot, context)
  const path = `${context.kbFolder}/snippets/${metric.snippet}`
  if (edit === undefined || !saysAll(edit, metric, cases, snapshot, context))
    return { plans: [], abstained: `no one query for ${path} is what its cases expect` }
  const title = `${metric.name}: its snippet ${metric.snippet} was gone`
  return {
    plans: [
      {
        label: 'broken_entry',
        subject,
        title,
        reasoning: `the expected queries of ${metric.name} are one query with the values of each question in it`,
        edits: [edit],
        cases,
        goldExposed: true,
        size: edit.text.length,
        signature: title,
        doubts: cases.length > 1 ? [] : [`one case alone says what ${path} was`],
      },
    ],
  }
}

/** What the snippet would be by one case; undefined where that does not follow each parameter of the metric. */
export function draftSnippet(
  metric: Metric,
  testCase: SqlCase,
  snapshot: Snapshot,
  context: RepairContext,
): CreateEdit | undefined {
  const kb = knowledgeOf(snapshot, context)
  const expectedSql = expectedFor(testCase, context)
  const meaning = meaningOf(testCase, { ...kb, metrics: [...kb.metrics, metric], broken: [] }, context)
  if (expectedSql === undefined || meaning.kind !== 'bound' || meaning.metric !== metric) return undefined
  const { parser, dialect } = context
  const values = questionValues(meaning.bindings, parser, dialect)
  const text = `${withPlaceholders(expectedSql, tokensOf(expectedSql, dialect, parser), values).trim()}\n`
  const path = `${context.kbFolder}/snippets/${metric.snippet}`
  const edit: CreateEdit = { kind: 'create_snippet', path, text }
  return saysAll(edit, metric, [testCase], snapshot, context) ? edit : undefined
}

function saysAll(
  { path, text }: CreateEdit,
  metric: Metric,
  cases: readonly SqlCase[],
  snapshot: Snapshot,
  context: RepairContext,
): boolean {
  if (snapshot.files.has(path)) return false
  const after = withFiles(snapshot, new Map([[path, new TextEncoder().encode(text)]]))
  return cases.every((testCase) => meansExpected(testCase, after, context, metric.id))
}
