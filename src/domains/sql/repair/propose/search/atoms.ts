import type { SqlToken } from '../../../../../sql/index.js'
import { tokenKey } from '../../model/question-values.js'
import { afterBracket, isWord, splitConjuncts, type TokenRange } from '../../model/token-ranges.js'
import { expressionsIn } from './expressions.js'
import type { QueryText, ScopeSource, SelectScope } from './query-scopes.js'

export type ConditionPlace = 'on' | 'where' | 'having' | 'qualify' | 'case'

/** A part of an expected query that the entry may lack. */
export interface Atom {
  readonly query: QueryText
  readonly scope: SelectScope
  readonly range: TokenRange
  /** Number of the failing expected queries that have it. */
  readonly support: number
}

export interface ConditionAtom extends Atom {
  readonly place: ConditionPlace
}

export interface JoinAtom extends Atom {
  readonly source: ScopeSource
}

/** What the expected queries of one cause consist of, each part once. */
export interface Atoms {
  readonly conditions: readonly ConditionAtom[]
  /** Outputs, calls, what they are given, brackets. */
  readonly expressions: readonly Atom[]
  readonly groups: readonly Atom[]
  readonly orders: readonly Atom[]
  readonly limits: readonly Atom[]
  readonly joins: readonly JoinAtom[]
  /** Texts and numbers. */
  readonly literals: readonly Atom[]
}

/** Takes expected queries apart. */
export function atomsOf(queries: readonly QueryText[]): Atoms {
  const each = <T extends Atom>(
    read: (query: QueryText, scope: SelectScope) => readonly Omit<T, 'support'>[],
  ): T[] => {
    const found = new Map<string, { atom: Omit<T, 'support'>; of: Set<QueryText> }>()
    for (const query of queries)
      for (const scope of query.scopes)
        for (const atom of read(query, scope)) {
          const key = keyOf(query, atom.range)
          const known = found.get(key) ?? { atom, of: new Set() }
          known.of.add(query)
          found.set(key, known)
        }
    return [...found.values()].map(({ atom, of }) => ({ ...atom, support: of.size }) as T)
  }
  const items =
    (kind: 'select' | 'group' | 'order' | 'limit') =>
    (query: QueryText, scope: SelectScope): Omit<Atom, 'support'>[] => {
      const clause =
        scope.select.clauses.get(kind) ?? (scope.isOutermost ? scope.query.tail.get(kind) : undefined)
      return (clause?.items ?? []).map((range) => ({ query, scope, range }))
    }
  return {
    conditions: each<ConditionAtom>(conditionsIn),
    expressions: each<Atom>((query, scope) =>
      expressionsIn(query, scope).flatMap((range) =>
        range.to > range.from + 1 ? [{ query, scope, range }] : [],
      ),
    ),
    groups: each<Atom>(items('group')),
    orders: each<Atom>(items('order')),
    limits: each<Atom>(items('limit')),
    joins: each<JoinAtom>((query, scope) =>
      scope.sources.map((source) => ({ query, scope, range: source.source.range, source })),
    ),
    literals: each<Atom>(literalsIn),
  }
}

function keyOf({ tokens }: QueryText, { from, to }: TokenRange): string {
  return tokens.slice(from, to).map(tokenKey).join(' ')
}

/** Returns the conditions of a SELECT, those of FILTER and CASE among them. */
export function conditionsIn(query: QueryText, scope: SelectScope): Omit<ConditionAtom, 'support'>[] {
  const { tokens } = query
  const { clauses, sources } = scope.select
  const of = (place: ConditionPlace, ranges: readonly TokenRange[]) =>
    ranges.map((range) => ({ query, scope, range, place }))
  return [
    ...of('where', clauses.get('where')?.items ?? []),
    ...of('having', clauses.get('having')?.items ?? []),
    ...of('qualify', clauses.get('qualify')?.items ?? []),
    ...sources.flatMap(({ on }) => of('on', on?.items ?? [])),
    ...of('case', innerConditions(tokens, clauses.get('select')?.body ?? { from: 0, to: 0 })),
  ]
}

/** Returns the conditions inside FILTER (WHERE …) and CASE WHEN … THEN of a range. */
export function innerConditions(tokens: readonly SqlToken[], { from, to }: TokenRange): TokenRange[] {
  const found: TokenRange[] = []
  for (let at = from; at < to; at++) {
    if (isWord(tokens, at, 'FILTER') && tokens[at + 1]?.text === '(' && isWord(tokens, at + 2, 'WHERE'))
      found.push(...splitConjuncts(tokens, { from: at + 3, to: afterBracket(tokens, at + 1) - 1 }))
    if (!isWord(tokens, at, 'WHEN')) continue
    let depth = 0
    for (let end = at + 1; end < to; end++) {
      const text = tokens[end]?.text
      if (text === '(' || isWord(tokens, end, 'CASE')) depth++
      else if (text === ')' || isWord(tokens, end, 'END')) depth--
      else if (depth === 0 && isWord(tokens, end, 'THEN')) {
        found.push(...splitConjuncts(tokens, { from: at + 1, to: end }))
        break
      }
    }
  }
  return found
}

function literalsIn(query: QueryText, scope: SelectScope): Omit<Atom, 'support'>[] {
  const { from, to } = scope.select.range
  return query.tokens.flatMap(({ kind }, at) =>
    at >= from && at < to && (kind === 'string' || kind === 'number')
      ? [{ query, scope, range: { from: at, to: at + 1 } }]
      : [],
  )
}
