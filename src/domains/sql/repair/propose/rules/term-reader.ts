import type { SqlToken } from '../../../../../sql/index.js'
import { matchValueAt, type QuestionValue, tokenKey } from '../../model/question-values.js'
import { nestedQueries } from '../../model/sql-clauses.js'
import { afterBracket, foldedName, type TokenRange } from '../../model/token-ranges.js'
import { collapseNames, expandName } from './name-substitution.js'
import { resolveColumn, resolveQualifier, type Scope } from './query-scope.js'
import type { Term } from './sql-term.js'

/** A query's text and its tokens. */
export interface TokenizedQuery {
  readonly text: string
  readonly tokens: readonly SqlToken[]
}

/** Returns the terms of a token range, with names resolved in `scope`. */
export function readTerms(
  side: TokenizedQuery,
  range: TokenRange,
  scope: Scope,
  values: readonly QuestionValue[],
): Term[] {
  const { tokens, text } = side
  const terms: Term[] = []
  let index = range.from
  while (index < range.to) {
    const token = tokens[index]
    if (token === undefined) break
    const term = termAt(tokens, index, scope, values)
    const to = Math.min(term.to, range.to)
    const end = tokens[to - 1]?.end ?? token.end
    const read: Term = {
      qualifier: undefined,
      text: text.slice(token.start, end),
      placeholders: [],
      query: undefined,
      ...term.term,
      start: token.start,
      end,
      spaced: isSpaced(side, index),
    }
    terms.push(...expandName(read, scope, terms.at(-1)))
    index = to
  }
  return collapseNames(terms, scope.named ?? [])
}

/**
 * Reports whether white space precedes the token. A line break at the inside of a bracket does not count:
 * terms are written on one line.
 */
function isSpaced({ tokens, text }: TokenizedQuery, index: number): boolean {
  const [previous, token] = [tokens[index - 1], tokens[index]]
  if (previous === undefined || token === undefined) return false
  const gap = text.slice(previous.end, token.start)
  return /\s/.test(gap) && !(gap.includes('\n') && (previous.text === '(' || token.text === ')'))
}

type TermDraft = Pick<Term, 'kind' | 'key'> &
  Partial<Pick<Term, 'qualifier' | 'text' | 'placeholders' | 'query'>>

function termAt(
  tokens: readonly SqlToken[],
  index: number,
  scope: Scope,
  values: readonly QuestionValue[],
): { term: TermDraft; to: number } {
  const value = matchValueAt(tokens, index, values)
  if (value !== undefined && tokens[index - 1]?.text !== '.') {
    const key = tokens.slice(index, value.to).map(tokenKey).join(' ')
    const isName = tokens[index]?.kind === 'word' && value.to === index + 1
    const kind = isName ? 'name' : 'literal'
    return { term: { kind, key, placeholders: value.placeholders }, to: value.to }
  }
  const token = tokens[index]
  if (token === undefined) return { term: { kind: 'symbol', key: '' }, to: index + 1 }
  if (token.text === '(') {
    const to = afterBracket(tokens, index)
    const [query] = nestedQueries(tokens, { from: index, to })
    const isWhole = query?.range.from === index + 1 && query.range.to === to - 1
    if (isWhole) return { term: { kind: 'query', key: '(query)', query }, to }
  }
  if (token.kind === 'word' || token.kind === 'quoted') return nameAt(tokens, index, scope)
  const key = tokenKey(token)
  if (token.kind === 'placeholder') {
    return { term: { kind: 'placeholder', key, placeholders: [token.value] }, to: index + 1 }
  }
  return { term: { kind: token.kind === 'symbol' ? 'symbol' : 'literal', key }, to: index + 1 }
}

/** Reads a dotted name as one term; its first parts are a qualifier if a source has that name. */
function nameAt(tokens: readonly SqlToken[], index: number, scope: Scope): { term: TermDraft; to: number } {
  let to = index + 1
  while (tokens[to]?.text === '.' && isPart(tokens[to + 1])) to += 2
  const parts = tokens.slice(index, to).filter((token) => token.text !== '.')
  const last = parts.at(-1)
  const key = foldedName(last)
  if (parts.length > 1) {
    const source = resolveQualifier(scope, parts.slice(0, -1).map(foldedName).join('.'))
    if (source === undefined) return { term: { kind: 'name', key: parts.map(foldedName).join('.') }, to }
    const renamed = source.renames.get(key)
    const text = renamed ?? last?.text ?? ''
    return { term: { kind: 'name', key: (renamed ?? key).toLowerCase(), qualifier: source.id, text }, to }
  }
  const called = tokens[to]?.text === '('
  if (last?.kind === 'word' && sqlKeywords.has(last.value)) return { term: { kind: 'keyword', key }, to }
  if (called) return { term: { kind: 'function', key }, to }
  const renamed = scope.sources.map((source) => source.renames.get(key)).find((name) => name !== undefined)
  const term: TermDraft = { kind: 'name', key: (renamed ?? key).toLowerCase() }
  if (renamed !== undefined) return { term: { ...term, text: renamed }, to }
  const owner = tokens[index - 1]?.text === '.' ? undefined : resolveColumn(scope, key)
  return { term: owner === undefined ? term : { ...term, qualifier: owner.id }, to }
}

function isPart(token: SqlToken | undefined): boolean {
  return token?.kind === 'word' || token?.kind === 'quoted' || token?.text === '*'
}

/** Keywords that are never names, whatever follows them. */
export const sqlKeywords: ReadonlySet<string> = new Set(
  `ALL AND ANTI ANY AS ASC BETWEEN BY CASE CROSS CURRENT DESC DISTINCT ELSE END ESCAPE EXCEPT EXISTS FALSE FETCH
  FILTER FIRST FOLLOWING FROM FULL GROUP HAVING ILIKE IN INNER INTERSECT INTERVAL IS JOIN LAST LATERAL LEFT LIKE
  LIMIT NATURAL NOT NULL NULLS OFFSET ON OR ORDER OUTER OVER PARTITION PRECEDING QUALIFY RANGE RIGHT ROWS SELECT SEMI
  THEN TRUE UNBOUNDED UNION USING WHEN WHERE WINDOW WITH WITHIN`.split(/\s+/),
)
