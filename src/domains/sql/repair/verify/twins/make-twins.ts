import type { SqlCase } from '../../../../../benchmark/case.js'
import type { Metric } from '../../../../../kb/entry.js'
import type {
  Binding,
  BoundValue,
  Interpretation,
  Period,
  Span,
} from '../../../../../kb/question-interpretation.js'
import type { SqlToken } from '../../../../../sql/index.js'
import { dayAfter, daysIn, periodPhrase, similarPeriods } from './similar-periods.js'

/**
 * A counterfactual: a case with one binding changed in question and expected query together. A repair of the
 * rule passes it; one that fits only the example does not.
 */
export interface Twin {
  readonly testCase: SqlCase
  readonly parameter: string
}

export type BoundInterpretation = Extract<Interpretation, { kind: 'bound' }>

/**
 * Returns candidate twins by parameter, best first. The caller keeps those whose expected result is neither
 * empty nor the original's. Parameters whose value cannot be located in the expected query have none.
 *
 * @param tokens tokens of the case's expected query, in its own dialect
 */
export function makeTwins(
  testCase: SqlCase,
  tokens: readonly SqlToken[],
  meaning: BoundInterpretation,
): Map<string, Twin[]> {
  const twins = new Map<string, Twin[]>()
  for (const binding of meaning.bindings) {
    const { span } = binding
    if (span === undefined) continue
    const found = alternativeValues(binding, meaning.metric).flatMap((other, index): Twin[] => {
      const sql = replaceValue(testCase.expectedSql, tokens, binding.value, other.value)
      if (sql === undefined) return []
      const question = replaceSpan(testCase.question, span, other.words)
      const id = `${testCase.id}~${binding.parameter}${index + 1}`
      return [{ parameter: binding.parameter, testCase: { ...testCase, id, question, expectedSql: sql } }]
    })
    if (found.length > 0) twins.set(binding.parameter, found)
  }
  return twins
}

interface Alternative {
  readonly value: BoundValue
  /** The words for it in a question. */
  readonly words: string
}

function alternativeValues(binding: Binding, metric: Metric): Alternative[] {
  const parameter = metric.parameters.get(binding.parameter)
  const { value, span } = binding
  if (parameter === undefined || span === undefined) return []
  if (value.kind === 'enum' && parameter.type === 'enum') {
    const named = span.text !== value.code
    return othersAfter([...parameter.values], value.code).map(([code, aliases]) => ({
      value: { kind: 'enum', code },
      words: (named ? aliases[0] : undefined) ?? code,
    }))
  }
  if (value.kind === 'choice' && parameter.type === 'choice') {
    // A value without an alias, usually the default, is not requested by a word: no question contains its
    // name.
    return othersAfter([...parameter.values], value.name).flatMap(([name, { sql, aliases }]) =>
      aliases[0] === undefined ? [] : [{ value: { kind: 'choice', name, sql }, words: aliases[0] }],
    )
  }
  if (value.kind === 'number') {
    return [value.value + 1, value.value - 1, value.value + 2]
      .filter((number) => number > 0)
      .map((number) => ({
        value: { kind: 'number', value: number },
        words: span.text.replace(String(value.value), String(number)),
      }))
  }
  if (value.kind === 'date_range') {
    return similarPeriods(value).map((period) => ({
      value: { kind: 'date_range', ...period },
      words: withPreposition(span, periodPhrase(period)),
    }))
  }
  return []
}

/**
 * Returns the entries after the current one, then those before it, so that the choices for different cases
 * differ.
 */
function othersAfter<T>(
  entries: readonly (readonly [string, T])[],
  current: string,
): (readonly [string, T])[] {
  const at = entries.findIndex(([key]) => key === current)
  return [...entries.slice(at + 1), ...entries.slice(0, Math.max(at, 0))]
}

/** Fits a phrase to its preposition: "in November 2025" keeps "in …"; a range has a preposition already. */
function withPreposition(span: Span, phrase: string): string {
  const preposition = /^(in|during|on|for|of)\s+/i.exec(span.text)?.[1]
  return preposition === undefined || phrase.startsWith('from ') ? phrase : `${preposition} ${phrase}`
}

function replaceSpan(text: string, span: Span, words: string): string {
  return `${text.slice(0, span.start)}${words}${text.slice(span.end)}`
}

/**
 * Returns the expected query with one value in place of another, or undefined if the old one cannot be
 * located.
 */
function replaceValue(
  sql: string,
  tokens: readonly SqlToken[],
  from: BoundValue,
  to: BoundValue,
): string | undefined {
  if (from.kind === 'enum' && to.kind === 'enum') {
    return replaceTokens(sql, tokens, (token) =>
      token.kind === 'string' && token.value === from.code ? quoted(to.code) : undefined,
    )
  }
  if (from.kind === 'number' && to.kind === 'number') return replaceNumber(sql, tokens, from.value, to.value)
  if (from.kind === 'choice' && to.kind === 'choice') return replaceChoice(sql, tokens, from.sql, to.sql)
  if (from.kind === 'date_range' && to.kind === 'date_range') return replacePeriod(sql, tokens, from, to)
  return undefined
}

function replacePeriod(
  sql: string,
  tokens: readonly SqlToken[],
  from: Period,
  to: Period,
): string | undefined {
  const days = daysIn(from)
  // A number that counts the period's days is part of the meaning, and nothing shows how it would change.
  if (
    days !== daysIn(to) &&
    days > 1 &&
    tokens.some((token) => token.kind === 'number' && Number(token.value) === days)
  )
    return undefined
  const dates = new Map([
    [dayAfter(from.end), dayAfter(to.end)],
    [from.end, to.end],
    [from.start, to.start],
  ])
  if (isPartOf(to, from) && !isWrittenAsBounds(tokens, from)) return undefined
  const fromYear = from.start.slice(0, 4)
  const toYear = to.start.slice(0, 4)
  return replaceTokens(sql, tokens, (token) => {
    if (token.kind === 'string') {
      const date = dates.get(token.value.slice(0, 10))
      if (date !== undefined) return quoted(date + token.value.slice(10))
      if (token.value === from.start.slice(0, 7) && from.grain === 'month')
        return quoted(to.start.slice(0, 7))
      return token.value === fromYear ? quoted(toYear) : undefined
    }
    return token.kind === 'number' && token.value === fromYear ? toYear : undefined
  })
}

function isPartOf(one: Period, other: Period): boolean {
  return one.grain !== other.grain && other.start <= one.start && one.end <= other.end
}

/**
 * Reports whether a query has the period only by its first and last day, and its year nowhere else: then any
 * other period can be written in the same way.
 */
function isWrittenAsBounds(tokens: readonly SqlToken[], { start, end }: Period): boolean {
  const dates = tokens.flatMap((token) =>
    token.kind === 'string' && token.value.length >= 10 ? [token.value.slice(0, 10)] : [],
  )
  const year = start.slice(0, 4)
  const bounds = [start, end, dayAfter(end)]
  return (
    dates.includes(start) &&
    (dates.includes(end) || dates.includes(dayAfter(end))) &&
    tokens.every(
      ({ kind, value }) =>
        (kind !== 'string' && kind !== 'number') ||
        !value.startsWith(year) ||
        bounds.includes(value.slice(0, 10)),
    )
  )
}

/** Replaces a number that is located by the word before it (LIMIT, FIRST), else by its single occurrence. */
function replaceNumber(
  sql: string,
  tokens: readonly SqlToken[],
  from: number,
  to: number,
): string | undefined {
  const places = tokens.flatMap((token, index) =>
    token.kind === 'number' && Number(token.value) === from ? [index] : [],
  )
  const limits = places.filter((index) => /^(LIMIT|FIRST|NEXT|TOP)$/i.test(tokens[index - 1]?.text ?? ''))
  const chosen = limits.length === 1 ? limits : places
  if (chosen.length !== 1) return undefined
  const only = tokens[chosen[0] ?? 0]
  return replaceTokens(sql, tokens, (token) => (token === only ? String(to) : undefined))
}

/** Replaces every occurrence of the expression, a column or a text: it is in the select list and in the grouping. */
function replaceChoice(
  sql: string,
  tokens: readonly SqlToken[],
  from: string,
  to: string,
): string | undefined {
  const written = /^(?:\w+\.)*\w+$/.test(to) ? (to.split('.').pop() ?? to) : to
  const text = /^'((?:[^']|'')*)'$/.exec(from)?.[1]?.replaceAll("''", "'")
  if (text === undefined && !/^[\w.]+$/.test(from)) return undefined
  const name = from.split('.').pop()?.toLowerCase()
  return replaceTokens(sql, tokens, (token) => {
    const isIt =
      text === undefined
        ? token.kind === 'word' && token.text.toLowerCase() === name
        : token.kind === 'string' && token.value === text
    return isIt ? written : undefined
  })
}

function replaceTokens(
  sql: string,
  tokens: readonly SqlToken[],
  replacement: (token: SqlToken) => string | undefined,
): string | undefined {
  let result = ''
  let from = 0
  let replaced = false
  for (const token of tokens) {
    const text = replacement(token)
    if (text === undefined) continue
    result += sql.slice(from, token.start) + text
    from = token.end
    replaced = true
  }
  return replaced ? result + sql.slice(from) : undefined
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
