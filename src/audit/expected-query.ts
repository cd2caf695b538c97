import { queryOrder } from '../compare/order/query-order.js'
import { describeTruncation } from '../compare/outcomes/query-outcomes.js'
import { type RunAndCompareInput, runAndCompare } from '../compare/outcomes/run-and-compare.js'
import type { Engine, QueryOutcome, ResultSet } from '../engine/contract/engine.js'
import { type AuditContext, type AuditedCase, comparisonInput } from './audited-case.js'
import { type Finding, queryFinding } from './finding.js'
import { steppedLimits } from './mutate/clauses.js'
import { applyMutation } from './mutate/mutation.js'
import type { QueryText } from './mutate/query-text.js'
import { findNondeterminismSources, outermostLimit } from './nondeterminism-sources.js'
import { differsWhenReordered } from './reordered-rows.js'

const tieAdvice =
  'Order by unique keys wherever it picks one row of several (row_number, lag, first_value, string_agg, any_value, bare columns, LIMIT).'

type Rows = Extract<QueryOutcome, { kind: 'rows' }>

export interface ExpectedAudit {
  readonly findings: readonly Finding[]
  /** The rows to compare mutants with; undefined if the query's result is not reliable enough. */
  readonly outcome: Rows | undefined
}

/**
 * Checks the expected query: it must return rows, untruncated, and the same ones again in another process.
 */
export async function auditExpected(
  subject: AuditedCase,
  query: QueryText | undefined,
  context: AuditContext,
): Promise<ExpectedAudit> {
  const { testCase, engine, sql } = subject
  const about = (...said: [kind: Finding['kind'], text: string, advice: string]): Finding =>
    queryFinding(testCase, ...said)
  const first = await engine.query(sql, context.limits)
  if (first.kind !== 'rows') {
    const finding = about(
      'expected_fails',
      `expected_sql ${failure(first)}`,
      'Correct the query: no answer can pass.',
    )
    return { findings: [finding], outcome: undefined }
  }
  const { result } = first
  if (result.cut !== null) {
    const finding = about(
      'expected_cut',
      `${describeTruncation(result.cut, context.limits)}: a truncated result never matches`,
      'Return fewer rows, or raise the limit.',
    )
    return { findings: [finding], outcome: undefined }
  }
  const told =
    query === undefined
      ? []
      : findNondeterminismSources(query).filter(
          ({ kind }) => kind !== 'limit' || isLimitReached(query, result),
        )
  const unsteady = await differsOnRerun(subject, first, context)
  if (unsteady !== undefined) {
    const [cause] = told
    const text = cause === undefined ? unsteady : `${unsteady}: it ${cause.text}`
    const advice = cause?.advice ?? 'Order by unique keys, and avoid random functions.'
    return { findings: [about('nondeterministic', text, advice)], outcome: undefined }
  }
  const findings = told.map(({ text, advice }) => about('nondeterministic', text, advice))
  const tie = query === undefined ? undefined : await tieAtLimit(subject, query, first, context)
  if (tie !== undefined) findings.push(about('nondeterministic', tie, 'Order by unique keys.'))
  // An earlier finding is probably the cause.
  const luck = findings.length > 0 ? undefined : await differsWhenReordered(subject, first, context)
  if (luck !== undefined) findings.push(about('nondeterministic', luck, tieAdvice))
  if (!isEmpty(result)) return { findings, outcome: first }
  findings.push(
    about(
      'empty',
      `returns ${result.rows.length === 0 ? 'no rows' : 'only NULL'}: any other empty answer matches`,
      'Ask for something that the data contain.',
    ),
  )
  return { findings, outcome: undefined }
}

/**
 * Reports whether the LIMIT was reached; otherwise it removes no rows, so that nothing depends on chance.
 * Inner LIMITs are not visible here.
 */
function isLimitReached(query: QueryText, { rows }: ResultSet): boolean {
  const limit = outermostLimit(query)
  return limit === undefined || rows.length >= limit
}

function failure(outcome: Exclude<QueryOutcome, Rows>): string {
  switch (outcome.kind) {
    case 'failed':
      return `fails: ${outcome.message}`
    case 'refused':
      return `is not run: ${outcome.message}`
    case 'killed':
      return outcome.message
  }
}

function isEmpty({ rows }: ResultSet): boolean {
  return rows.every((row) => row.every((cell) => cell === null))
}

/** Describes how the rows differ when the query is repeated: in the same process, then in a fresh one. */
async function differsOnRerun(
  subject: AuditedCase,
  first: Rows,
  context: AuditContext,
): Promise<string | undefined> {
  const run = {
    ...comparisonInput(subject, subject.sql, context),
    expectedOutcome: () => Promise.resolve(first),
  }
  if (await differs(run, subject.engine)) return 'run twice, it returns different rows'
  if (await differs(run, subject.other)) return 'run in another process, it returns different rows'
  return undefined
}

async function differs(run: RunAndCompareInput, engine: Engine): Promise<boolean> {
  const finding = await runAndCompare({ ...run, engine })
  return finding.kind === 'mismatch'
}

/**
 * Reports whether the row after the last one could as well have been included: the keys of ORDER BY do not
 * distinguish them.
 */
async function tieAtLimit(
  subject: AuditedCase,
  query: QueryText,
  { result }: Rows,
  context: AuditContext,
): Promise<string | undefined> {
  const limit = outermostLimit(query)
  if (limit === undefined || limit === 0 || result.rows.length !== limit) return undefined
  const more = steppedLimits(query).findLast(({ words }) => words.startsWith(`LIMIT ${limit + 1} `))
  const { order, columnsIn } = subject.order
  if (more === undefined || order !== 'ordered') return undefined
  const shown = columnsIn(result)
  const text = applyMutation(query, more)
  // Keys that are not in the output are queried as ranks, in one more column.
  const asked =
    shown === undefined ? queryOrder(context.parser, text, subject.engine.dialect).tieQuery?.() : text
  const outcome = asked === undefined ? undefined : await subject.engine.query(asked, context.limits)
  if (outcome?.kind !== 'rows' || outcome.result.rows.length !== limit + 1) return undefined
  const [last, next] = outcome.result.rows.slice(-2)
  const keys = shown ?? [result.columns.length]
  const isTie = keys.every((key) => JSON.stringify(plain(last?.[key])) === JSON.stringify(plain(next?.[key])))
  const names = shown?.map((key) => result.columns[key]?.name ?? '').join(', ') ?? 'all ordering keys'
  return isTie
    ? `rows ${limit} and ${limit + 1} are equal in ${names}: LIMIT ${limit} may return either`
    : undefined
}

function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}
