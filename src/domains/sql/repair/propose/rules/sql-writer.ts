import type { SqlToken } from '../../../../../sql/index.js'
import { matchValueAt, type QuestionValue, tokenKey } from '../../model/question-values.js'
import { isMergedByUsing } from './join-using.js'
import type { NamedExpression, resolveQualifier, Scope } from './query-scope.js'
import type { Alignment, ScopePair } from './snippet-alignment.js'
import type { Term } from './sql-term.js'

/**
 * Writes terms of the expected query as the snippet's author would. `replaced` are the terms that they
 * replace.
 */
export function writeTerms(
  alignment: Alignment,
  place: ScopePair,
  terms: readonly Term[],
  replaced: readonly Term[] = [],
  before?: Term,
  after?: Term,
): string {
  return terms
    .map((term, index) => {
      const previous = index === 0 ? before : terms[index - 1]
      const text = writeTerm(alignment, place, term, previous, terms[index + 1] ?? after, replaced)
      return index > 0 && term.spaced ? ` ${text}` : text
    })
    .join('')
}

function writeTerm(
  alignment: Alignment,
  place: ScopePair,
  term: Term,
  previous: Term | undefined,
  next: Term | undefined,
  replaced: readonly Term[],
): string {
  const { style } = alignment
  if (term.kind === 'placeholder') return term.text
  if (term.placeholders.length > 0) {
    const options = candidateReadings(alignment, term, previous, next)
    const chosen = options[alignment.choose(`value:${term.start}`, options.length)]
    if (chosen !== undefined && chosen !== 'literal') return placeholderText(chosen)
  }
  if (term.kind === 'keyword') return style.lowerKeywords ? term.text.toLowerCase() : term.text.toUpperCase()
  if (term.kind === 'function' && /^\w+$/.test(term.text)) {
    return style.lowerFunctions ? term.text.toLowerCase() : term.text.toUpperCase()
  }
  if (term.kind === 'query') return writeQuery(alignment, term.start, term.end)
  if (term.kind !== 'name') return term.text
  return writeName(alignment, place, term, previous, next, replaced)
}

export function placeholderText(placeholder: string): string {
  return `{{ ${placeholder} }}`
}

/** Returns the possible spellings of a question's value, likeliest first. */
function candidateReadings(
  alignment: Alignment,
  term: Term,
  previous: Term | undefined,
  next: Term | undefined,
): string[] {
  const known = new Map(alignment.values.map((value) => [value.placeholder, value.kind]))
  const ranked = matchingPeriodBounds(term.placeholders, previous?.key).sort(
    (a, b) =>
      periodBoundRank(a, previous?.key) - periodBoundRank(b, previous?.key) ||
      usageRank(alignment, b) - usageRank(alignment, a),
  )
  const kind = known.get(ranked[0] ?? '')
  // A number or a column often equals a value by chance; a text or a day hardly does.
  if (kind === 'number' && !comparisonKeys.has(previous?.key ?? '')) return ['literal', ...ranked]
  // A dimension is chosen to be shown and grouped by; its column may be filtered on as well.
  const compared = comparisonKeys.has(previous?.key ?? '') || comparisonKeys.has(next?.key ?? '')
  if (kind === 'expression' && compared) return ['literal', ...ranked]
  return [...ranked, 'literal']
}

const comparisonKeys = new Set([
  'in',
  'is',
  'like',
  'between',
  '=',
  '<',
  '<=',
  '>',
  '>=',
  '<>',
  'limit',
  'first',
  'offset',
  '/',
  '*',
  'interval',
])

function usageRank(alignment: Alignment, placeholder: string): number {
  return alignment.used.has(placeholder) ? 1 : 0
}

/**
 * Returns the placeholders that suit a bound: for a period of one day all of them have equal values, and only
 * one is meant.
 */
function matchingPeriodBounds(placeholders: readonly string[], operator: string | undefined): string[] {
  const isBound = operator !== undefined && ['between', 'and', '>=', '<='].includes(operator)
  const suiting = placeholders.filter(
    (placeholder) => isBound && periodBoundRank(placeholder, operator) === 0,
  )
  return suiting.length > 0 ? suiting : [...placeholders]
}

/** Ranks bounds by the preceding operator: for a period of one day, start and end are equal. */
function periodBoundRank(placeholder: string, operator: string | undefined): number {
  const field = placeholder.slice(placeholder.lastIndexOf('.') + 1)
  if (operator === '<=' || operator === 'and') return field === 'end' ? 0 : 1
  if (operator === '<') return field === 'end_exclusive' ? 0 : 1
  return field === 'start' ? 0 : 1
}

/**
 * Replaces the question's values in a query by placeholders; a number counts only where it limits or
 * compares.
 */
export function substitutePlaceholders(
  sql: string,
  tokens: readonly SqlToken[],
  values: readonly QuestionValue[],
  start = 0,
  end = sql.length,
): string {
  const kinds = new Map(values.map(({ placeholder, kind }) => [placeholder, kind]))
  let written = ''
  let at = start
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]
    if (token === undefined || token.start < start || token.end > end) continue
    const found = matchValueAt(tokens, index, values)
    const before = tokenBefore(tokens, index)
    const [placeholder] = matchingPeriodBounds(found?.placeholders ?? [], before).sort(
      (a, b) => periodBoundRank(a, before) - periodBoundRank(b, before),
    )
    const isChance = kinds.get(placeholder ?? '') === 'number' && !comparisonKeys.has(before ?? '')
    if (found === undefined || placeholder === undefined || isChance) continue
    written += sql.slice(at, token.start) + placeholderText(placeholder)
    at = tokens[found.to - 1]?.end ?? token.end
    index = found.to - 1
  }
  return written + sql.slice(at, end)
}

function tokenBefore(tokens: readonly SqlToken[], index: number): string | undefined {
  const token = tokens[index - 1]
  return token && tokenKey(token)
}

/** Copies a sub-query unchanged, except for the question's texts and days. */
export function writeQuery({ expected, values }: Alignment, start: number, end: number): string {
  const told = values.filter(({ kind }) => kind === 'text' || kind === 'date')
  return substitutePlaceholders(expected.text, expected.tokens, told, start, end)
}

function writeName(
  alignment: Alignment,
  place: ScopePair,
  term: Term,
  previous: Term | undefined,
  next: Term | undefined,
  replaced: readonly Term[],
): string {
  const { usage } = place
  const several = place.snippet.sources.length > 1
  if (term.qualifier !== undefined) {
    const named = namedExpressionFor(place, term)
    if (named !== undefined) return named.text
    const known = sourceById(place.snippet, term.qualifier)
    if (known === undefined) {
      const added = sourceById(place.expected, term.qualifier)
      return added === undefined ? term.text : `${added.written}.${term.text}`
    }
    const bare =
      (usage.qualified === 0 && (usage.bare > 0 || !several)) || isMergedByUsing(alignment, place, term)
    return bare && place.snippet.sources.includes(known) ? term.text : `${known.written}.${term.text}`
  }
  const isType = previous?.key === 'as' || previous?.key === '::' || next?.kind === 'literal'
  if (isType || usage.qualified === 0) return term.text
  const hint = replaced.find((other) => other.qualifier !== undefined)?.qualifier
  const likely = [...(usage.byColumn.get(term.key) ?? []), ...(hint === undefined ? [] : [hint])]
  const sources = [...place.snippet.sources].sort(
    (a, b) => indexOrLast(likely, a.id) - indexOrLast(likely, b.id),
  )
  const qualified = sources.map((source) => `${source.written}.${term.text}`)
  // Which of several tables a bare column belongs to is a guess, unless the snippet shows it.
  const isKnown = likely.length > 0 || !several
  const options = isKnown ? [...qualified, term.text] : [term.text, ...qualified]
  return options[alignment.choose(`name:${term.start}`, options.length)] ?? term.text
}

function indexOrLast(likely: readonly string[], id: string): number {
  const index = likely.indexOf(id)
  return index === -1 ? likely.length : index
}

function sourceById(scope: Scope, id: string): ReturnType<typeof resolveQualifier> {
  return scope.sources.find((source) => source.id === id) ?? (scope.parent && sourceById(scope.parent, id))
}

/** Returns the expression behind the name of a sub-query's column, inside that sub-query. */
function namedExpressionFor({ snippet }: ScopePair, { key, qualifier }: Term): NamedExpression | undefined {
  return snippet.named?.find(({ name }) => name.key === key && name.qualifier === qualifier)
}

/** Reports whether all columns of the terms can be named in this place. */
export function canNameColumns(place: ScopePair, terms: readonly Term[]): boolean {
  return terms.every(
    (term) =>
      term.qualifier === undefined ||
      namedExpressionFor(place, term) !== undefined ||
      sourceById(place.snippet, term.qualifier) !== undefined,
  )
}
