import { foldQuotedCase } from './shape/identifier-folding.js'
import type { Expression, FromNode, QueryShape, SourceId } from './shape/query-shape.js'
import { eachFrom, rewriteQuery, someInQuery, withChanges } from './shape/rewrite-query.js'

/**
 * Queries to two databases with their names in one case and without quotes: `"Name"` of one that keeps case and `Name`
 * of one that does not are one column. Names that a query tells apart by their case stay as they are.
 */
export function foldNameCase([left, right]: readonly [QueryShape, QueryShape]): readonly [
  QueryShape,
  QueryShape,
] {
  const kept = new Set([...caseSensitiveNames(left), ...caseSensitiveNames(right)])
  const folded = (name: string): string => {
    const plain = foldQuotedCase(name)
    return kept.has(plain) ? name : plain
  }
  return [renamed(left, folded), renamed(right, folded)]
}

function renamed(query: QueryShape, folded: (name: string) => string): QueryShape {
  const inFrom = (node: FromNode): FromNode => {
    if (node.kind === 'table') return withChanges(node, { name: folded(node.name) })
    return node.kind === 'join'
      ? withChanges(node, { left: inFrom(node.left), right: inFrom(node.right) })
      : node
  }
  return rewriteQuery(query, {
    expression: (expression) =>
      expression.kind === 'column' && expression.maybeText === undefined
        ? withChanges(expression, { name: folded(expression.name) })
        : expression,
    query: (nested) => {
      if (nested.kind === 'set') return nested
      const from = nested.from && inFrom(nested.from)
      const names = nested.names.map((name) => name && folded(name))
      const isSame = from === nested.from && names.every((name, at) => name === nested.names[at])
      return isSame ? nested : { ...nested, from, names }
    },
  })
}

/** In one case, what a query calls by several spellings: as a table, or as a column of one table or of any. */
function caseSensitiveNames(query: QueryShape): ReadonlySet<string> {
  const tables = new Map<SourceId, string>()
  const spellings = new Map<string, Set<string>>()
  const note = (place: string, name: string): void => {
    const key = `${place} ${foldQuotedCase(name)}`
    spellings.set(key, (spellings.get(key) ?? new Set()).add(name))
  }
  const visit = (node: FromNode): void => {
    if (node.kind === 'join') [node.left, node.right].forEach(visit)
    if (node.kind !== 'table') return
    tables.set(node.id, node.name)
    note('table', node.name)
  }
  eachFrom(query, visit)
  const columns: (Expression & { kind: 'column' })[] = []
  someInQuery(query, (part) => {
    if (part.kind === 'column' && part.maybeText === undefined) columns.push(part)
    return false
  })
  const ofAny = columns.some(({ source }) => source === undefined)
  for (const { source, name } of columns) {
    const table = source === undefined ? undefined : tables.get(source)
    note(ofAny || table === undefined ? 'any' : `of ${table}`, name)
  }
  const several = [...spellings].filter(([, names]) => names.size > 1)
  return new Set(several.flatMap(([, names]) => [...names].map(foldQuotedCase)))
}
