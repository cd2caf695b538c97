import type { Engine, QueryLimits } from '../engine/contract/engine.js'
import type { Dialect } from '../enums/dialect.js'
import { type KnowledgeBase, type Metric, namedSnippets, type Snippet } from '../kb/entry.js'
import type { Binding, BoundValue } from '../kb/question-interpretation.js'
import { findPlaceholders, renderSnippet } from '../kb/render-snippet.js'
import { type SqlParser, translateSql } from '../sql/index.js'
import type { LintFinding } from './finding.js'
import { sampleBindings } from './sample-bindings.js'

export interface StatementContext {
  readonly parser: SqlParser
  /** Dialect of snippets. */
  readonly dialect: Dialect
  /** Undefined: queries are only parsed. */
  readonly engine: Engine | undefined
  readonly limits: QueryLimits
}

/**
 * Returns findings about snippets that cannot be parsed once rendered, or that the database would reject;
 * each fault once.
 */
export async function statementFindings(
  kb: KnowledgeBase,
  context: StatementContext,
): Promise<LintFinding[]> {
  const findings: LintFinding[] = []
  for (const metric of kb.metrics) {
    const snippet = kb.snippets.get(metric.snippet)
    if (snippet !== undefined) findings.push(...(await metricFindings(metric, snippet, context)))
  }
  const named = namedSnippets(kb)
  for (const snippet of kb.snippets.values()) {
    if (named.has(snippet.name) || findPlaceholders(snippet.text).length > 0) continue
    const fault = await faultOf(snippet.text.replace(/^\uFEFF/, ''), context)
    if (fault !== undefined) findings.push(findingOf(snippet, fault, ''))
  }
  return findings
}

async function metricFindings(
  metric: Metric,
  snippet: Snippet,
  context: StatementContext,
): Promise<LintFinding[]> {
  const told = new Map<string, LintFinding>()
  for (const bindings of sampleBindings(metric)) {
    const rendered = renderSnippet(snippet, metric, bindings, context.dialect)
    if (rendered.kind !== 'sql') continue
    const fault = await faultOf(rendered.sql, context)
    if (fault === undefined || told.has(fault.message)) continue
    told.set(fault.message, findingOf(snippet, fault, describeBindings(bindings)))
  }
  return [...told.values()]
}

interface Fault {
  readonly rule: 'sql_unparsable' | 'sql_fails'
  readonly message: string
  readonly line: number
  readonly column: number
}

async function faultOf(sql: string, context: StatementContext): Promise<Fault | undefined> {
  const { parser, dialect, engine, limits } = context
  const parsed = parser.parse(sql, dialect)
  if (parsed.kind === 'unparsable')
    return {
      rule: 'sql_unparsable',
      message: parsed.message,
      line: parsed.line ?? 1,
      column: parsed.column ?? 1,
    }
  if (engine === undefined) return undefined
  const carried = await translateSql(sql, dialect, engine.dialect)
  if (carried.kind === 'failed')
    return {
      rule: 'sql_fails',
      message: `cannot be transpiled to ${engine.dialect}: ${carried.message}`,
      line: 1,
      column: 1,
    }
  const outcome = await engine.explain(carried.sql, limits)
  return outcome.kind === 'rows'
    ? undefined
    : { rule: 'sql_fails', message: outcome.message, line: 1, column: 1 }
}

function findingOf(snippet: Snippet, fault: Fault, filled: string): LintFinding {
  const { rule, line, column } = fault
  const what = rule === 'sql_unparsable' ? 'cannot be parsed' : 'does not run'
  return {
    rule,
    severity: 'error',
    path: snippet.path,
    line,
    column,
    message: `${what}: ${fault.message.split('\n')[0] ?? ''}`,
    hint: filled === '' ? undefined : `Tried with ${filled}.`,
  }
}

/** Returns `market ID, period 2025-11-01 to 2025-11-30`. */
function describeBindings(bindings: readonly Binding[]): string {
  return bindings.map(({ parameter, value }) => `${parameter} ${describeValue(value)}`).join(', ')
}

function describeValue(value: BoundValue): string {
  switch (value.kind) {
    case 'enum':
      return value.code
    case 'choice':
      return value.name
    case 'number':
      return String(value.value)
    case 'date_range':
      return `${value.start} to ${value.end}`
  }
}
