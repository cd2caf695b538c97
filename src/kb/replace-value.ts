import type { SqlToken } from '../sql/index.js'
import { dayAfter, daysIn } from './period/calendar.js'
import type { BoundValue, Period } from './question-interpretation.js'

/**
 * Returns a query with one value in place of another, or undefined if the old one cannot be
 * located.
 */
export function replaceValue(
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

export function replaceTokens(
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

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
