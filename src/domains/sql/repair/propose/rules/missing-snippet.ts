import type { SqlCase } from '../../../../../benchmark/case.js'
import type { Edit } from '../../../../../edit/edit-types.js'
import type { Metric } from '../../../../../kb/entry.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import type { SqlToken } from '../../../../../sql/index.js'
import { changedText, type TextChange } from '../../../../../text/text-changes.js'
import { questionValues } from '../../model/question-values.js'
import {
  expectedSqlFor,
  formatOf,
  interpretationOf,
  knowledgeBaseOf,
  type RepairContext,
  resolvesToExpected,
  tokensOf,
} from '../../model/repair-context.js'
import { parseClauses } from '../../model/sql-clauses.js'
import { applyPlan, type ProposalRequest, type Proposals } from '../../model/sql-repair-types.js'
import { isWord, type TokenRange } from '../../model/token-ranges.js'
import { substitutePlaceholders } from './sql-writer.js'

/**
 * Proposes the snippet of a metric whose snippet is missing or empty: the expected query of one case, with
 * placeholders for the question's values, must be what every other case expects, too. A single case does not
 * show which part of it is specific to the case.
 */
export function proposeMissingSnippet(
  { diagnoses, subject, label }: ProposalRequest,
  metric: Metric,
  snapshot: Snapshot,
  context: RepairContext,
): Proposals {
  const cases = diagnoses.map(({ evaluation }) => evaluation.testCase)
  const [model] = cases
  const text = model && draftQuery(metric, model, snapshot, context)
  const { creation } = formatOf(context)
  const path = creation.queryPath(metric.snippet, context.kbFolder)
  if (text === undefined || !satisfiesAllCases(text, metric, cases, snapshot, context))
    return { plans: [], abstained: `no single query for ${path} matches all its cases` }
  const title = `${metric.name}: its snippet ${metric.snippet} was ${snapshot.files.has(path) ? 'empty' : 'missing'}`
  return {
    plans: [
      {
        label,
        subject,
        title,
        reasoning: `the expected queries of ${metric.name} are one query with the values of each question`,
        edits: creationOf(text, metric, snapshot, context),
        cases,
        goldExposed: true,
        size: text.length,
        signature: title,
        concerns: cases.length > 1 ? [] : [`only one case supports the text of ${path}`],
      },
    ],
  }
}

/** Returns the snippet according to one case; undefined if that does not use each parameter of the metric. */
export function draftQuery(
  metric: Metric,
  testCase: SqlCase,
  snapshot: Snapshot,
  context: RepairContext,
): string | undefined {
  const kb = knowledgeBaseOf(snapshot, context)
  const expectedSql = expectedSqlFor(testCase, context)
  const meaning = interpretationOf(testCase, { ...kb, metrics: [...kb.metrics, metric], broken: [] }, context)
  if (expectedSql === undefined || meaning.kind !== 'bound' || meaning.metric !== metric) return undefined
  const { parser, dialect } = context
  const values = questionValues(meaning.bindings, parser, dialect)
  const text = `${substitutePlaceholders(expectedSql, tokensOf(expectedSql, dialect, parser), values).trim()}\n`
  return [withOrdinals(text, context), text].find((each) =>
    satisfiesAllCases(each, metric, [testCase], snapshot, context),
  )
}

/**
 * Groups and orders by the position of columns that the question chooses: another choice may be a constant,
 * which engines refuse there.
 */
function withOrdinals(text: string, { parser, dialect }: RepairContext): string {
  const tokens = tokensOf(text, dialect, parser)
  const query = parseClauses(tokens)
  const arm = query?.arms[0]
  if (query === undefined || arm === undefined || query.arms.length > 1) return text
  const columns = arm.clauses.get('select')?.items ?? []
  const placeholderAt = ({ from }: TokenRange): string | undefined =>
    tokens[from]?.kind === 'placeholder' ? tokens[from]?.value : undefined
  const listed = [arm.clauses.get('group'), query.tail.get('order')].flatMap((clause) => clause?.items ?? [])
  const changes = listed.flatMap((item): TextChange[] => {
    const token = tokens[item.from]
    const at = columns.findIndex(
      (column) => placeholderAt(column) === placeholderAt(item) && isAlone(column, tokens),
    )
    if (token === undefined || placeholderAt(item) === undefined || at === -1) return []
    return [{ start: token.start, end: token.end, text: String(at + 1) }]
  })
  return changedText(text, changes)
}

/** Reports whether a column is its first token, with or without a name. */
function isAlone({ from, to }: TokenRange, tokens: readonly SqlToken[]): boolean {
  return to - from === 1 || (to - from === 3 && isWord(tokens, from + 1, 'AS'))
}

function satisfiesAllCases(
  text: string,
  metric: Metric,
  cases: readonly SqlCase[],
  snapshot: Snapshot,
  context: RepairContext,
): boolean {
  const after = applyPlan({ edits: creationOf(text, metric, snapshot, context) }, snapshot)
  return (
    after !== undefined && cases.every((testCase) => resolvesToExpected(testCase, after, context, metric.id))
  )
}

function creationOf(text: string, { snippet }: Metric, snapshot: Snapshot, context: RepairContext): Edit[] {
  return formatOf(context).creation.create({ query: { name: snippet, text } }, snapshot, context.kbFolder)
}
