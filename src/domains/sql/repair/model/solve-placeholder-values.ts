import type { Dialect } from '../../../../enums/dialect.js'
import type { Metric, Parameter, Snippet } from '../../../../kb/entry.js'
import type { Binding, BoundValue } from '../../../../kb/question-interpretation.js'
import { findPlaceholders, renderSnippet } from '../../../../kb/render-snippet.js'
import type { Schema, SqlParser, SqlToken } from '../../../../sql/index.js'
import { createEquivalenceGate } from './equivalence-with-expected.js'

/**
 * A value read out of an expected query; `literal` is an enum code, a number, a choice's name, or `start/end`
 * of a period.
 */
export interface SolvedBinding {
  readonly parameter: string
  readonly literal: string
}

export interface SolveInput {
  readonly parser: SqlParser
  readonly dialect: Dialect
  readonly metric: Metric
  readonly snippet: Snippet
  readonly expectedSql: string
  /** The tables that both queries read, if known. */
  readonly schema?: Schema | undefined
  readonly known: readonly Binding[]
  /** Parameters to read out of the expected query; if empty, only the known values are tested. */
  readonly unknown: readonly string[]
}

/** How many combinations of values are tried before giving up. */
const maxCombinations = 200

/**
 * Returns the values of the unknown parameters with which the snippet is equivalent to the expected query.
 * Undefined if there are none, or if two different solutions exist. Enum codes need not be among the
 * metric's.
 */
export function solveBindings(input: SolveInput): SolvedBinding[] | undefined {
  const { parser, dialect, metric, snippet, expectedSql, known } = input
  const gate = createEquivalenceGate(parser, expectedSql, dialect, input.schema)
  const outcome = parser.tokenize(expectedSql, dialect)
  if (gate === undefined || outcome.kind !== 'tokens') return undefined
  const used = new Set(findPlaceholders(snippet.text).map((placeholder) => placeholder.name))
  const unknown = [...new Set(input.unknown)]
  if (unknown.some((parameter) => !used.has(parameter))) return undefined
  const choices = unknown.map((parameter) => candidates(metric.parameters.get(parameter), outcome.tokens))
  const solutions: BoundValue[][] = []
  for (const values of combinations(choices)) {
    const free = values.map((value, index) => ({ parameter: unknown[index] ?? '', value }))
    const rendered = renderSnippet(snippet, metric, [...known, ...free], dialect)
    if (rendered.kind === 'sql' && gate.isAcceptable(rendered.sql)) solutions.push(values)
    if (solutions.length > 1) return undefined
  }
  const [solution] = solutions
  return solution?.map((value, index) => ({ parameter: unknown[index] ?? '', literal: literalOf(value) }))
}

/** Returns the possible values of a parameter: the literals of its type in the query. */
function candidates(parameter: Parameter | undefined, tokens: readonly SqlToken[]): BoundValue[] {
  const strings = distinct(tokens, 'string')
  switch (parameter?.type) {
    case 'enum':
      return strings.map((code) => ({ kind: 'enum', code }))
    case 'number':
      return distinct(tokens, 'number').map((text) => ({ kind: 'number', value: Number(text) }))
    case 'choice':
      return [...parameter.values].map(([name, { sql }]) => ({ kind: 'choice', name, sql }))
    case 'date_range':
      return periods(strings.filter((text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isIsoDate(text)))
    case undefined:
      return []
  }
}

function distinct(tokens: readonly SqlToken[], kind: SqlToken['kind']): string[] {
  return [...new Set(tokens.filter((token) => token.kind === kind).map((token) => token.value))]
}

/** Returns all pairs of days in order; the end may be written in the query as the day after it. */
function periods(days: readonly string[]): BoundValue[] {
  const ends = [...new Set([...days, ...days.map(dayBefore)])]
  return days.flatMap((start) =>
    ends
      .filter((end) => end >= start)
      .map((end) => ({ kind: 'date_range' as const, start, end, grain: 'range' as const })),
  )
}

function isIsoDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

function dayBefore(day: string): string {
  const oneDayMs = 86_400_000
  return new Date(Date.parse(`${day}T00:00:00Z`) - oneDayMs).toISOString().slice(0, 10)
}

function combinations(choices: readonly (readonly BoundValue[])[]): BoundValue[][] {
  let all: BoundValue[][] = [[]]
  for (const options of choices) {
    all = all.flatMap((values) => options.map((option) => [...values, option]))
    if (all.length > maxCombinations) return []
  }
  return all
}

function literalOf(value: BoundValue): string {
  switch (value.kind) {
    case 'enum':
      return value.code
    case 'number':
      return String(value.value)
    case 'choice':
      return value.name
    case 'date_range':
      return `${value.start}/${value.end}`
  }
}
