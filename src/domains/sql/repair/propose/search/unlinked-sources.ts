import { isWord, type TokenRange } from '../../model/token-ranges.js'
import { columnsIn, sourceOfColumn } from './carry.js'
import type { QueryText, ScopeSource, SelectScope } from './query-scopes.js'

/**
 * Counts the relations of a query that no equality links to another one of their SELECT: with them, every row is paired with every
 * other, which no repair means and no engine finishes.
 */
export function countUnlinked(query: QueryText): number {
  return query.scopes.reduce((sum, scope) => sum + unlinkedIn(query, scope), 0)
}

function unlinkedIn(query: QueryText, scope: SelectScope): number {
  const { sources, select } = scope
  if (sources.length < 2) return 0
  const conditions = [
    ...(select.clauses.get('where')?.items ?? []),
    ...sources.flatMap(({ source: { on } }) => on?.items ?? []),
  ]
  const links = conditions.flatMap((range) => linkedBy(query, scope, range))
  const isLinked = (one: ScopeSource): boolean =>
    one.source.using !== undefined || links.some((pair) => pair.includes(one))
  // Who wrote CROSS JOIN, NATURAL JOIN or a subquery of one row meant it.
  return sources.slice(1).filter((one) => one.source.on !== undefined && !isLinked(one)).length
}

/** Returns the pair of relations whose columns a condition equates. */
function linkedBy(
  { tokens }: QueryText,
  scope: SelectScope,
  range: TokenRange,
): [ScopeSource, ScopeSource][] {
  const signs = Array.from({ length: range.to - range.from }, (_, at) => range.from + at).filter(
    (at) => tokens[at]?.text === '=' || tokens[at]?.text === '==' || isWord(tokens, at, 'IS'),
  )
  return signs.flatMap((at) => {
    const before = columnsIn(tokens, { from: range.from, to: at })
    const after = columnsIn(tokens, { from: at + 1, to: range.to })
    return before.flatMap((one) =>
      after.flatMap((other): [ScopeSource, ScopeSource][] => {
        const [left, right] = [sourceOfColumn(one, scope), sourceOfColumn(other, scope)]
        return left === undefined || right === undefined || left === right ? [] : [[left, right]]
      }),
    )
  })
}
