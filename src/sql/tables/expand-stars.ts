import type { ColumnHints } from '../normalize/column-hints.js'
import {
  apply,
  type Expression,
  type FromNode,
  firstSelect,
  type QueryShape,
  type SelectShape,
  type SetShape,
  type SourceId,
  word,
} from '../shape/query-shape.js'
import { mapAll, rewriteQuery, withChanges } from '../shape/rewrite-query.js'
import { changesOf, type Output, withStarChanges } from '../shape/stars.js'

/** The columns of what a SELECT reads from, in their order; undefined for what may have others. */
type Columns = (source: SourceId) => readonly Output[] | undefined

/**
 * The query with `*` as the columns that both queries of a pair show a table to have, as if it had no others. The
 * tables for which that was needed are added to `closed`; `isTurned` takes their columns in the opposite order.
 */
export function expandStarsFromHints(
  query: QueryShape,
  hints: ColumnHints,
  closed: Set<string>,
  isTurned: boolean,
): QueryShape {
  const tables = new Map<SourceId, string>()
  const derived = new Map<SourceId, readonly string[]>()
  const visit = (node: FromNode): void => {
    if (node.kind === 'join') [node.left, node.right].forEach(visit)
    if (node.kind === 'table' && node.extras.length === 0) tables.set(node.id, node.name)
    const names = node.kind === 'derived' && node.extras.length === 0 ? namesOf(node.query) : undefined
    if (node.kind === 'derived' && names !== undefined) derived.set(node.id, givenNames(node) ?? names)
    if (node.kind === 'derived' && grown.has(firstSelect(node.query) ?? node.query)) moved.add(node.id)
  }
  const columnsOf: Columns = (source) => {
    const table = tables.get(source)
    const shown = table === undefined ? undefined : hints.get(table)
    if (table !== undefined && shown !== undefined) {
      closed.add(table)
      const names = [...shown].filter((name) => name !== '*')
      if (isTurned) names.reverse()
      return names.map((name) => ({ expression: { kind: 'column', source, name }, name }))
    }
    return derived
      .get(source)
      ?.map((name, output) => ({ expression: { kind: 'column', source, name, output }, name }))
  }
  const renamed = new Map<SourceId, readonly string[]>()
  // Where a star has become several columns, those after it have other places.
  const grown = new Set<QueryShape>()
  const moved = new Set<SourceId>()
  const givenNames = (node: FromNode & { kind: 'derived' }): readonly string[] | undefined =>
    renamed.get(node.id)
  const expanded = rewriteQuery(query, {
    expression: (expression) => expression,
    query: (nested) => {
      if (nested.kind === 'set') return orderedByPlace(nested)
      if (nested.from === undefined) return nested
      const from = withoutColumnNames(nested.from, renamed)
      visit(from)
      const listed = withoutStars(from === nested.from ? nested : { ...nested, from }, from, columnsOf)
      const shown = (source: SourceId): readonly string[] =>
        derived.get(source) ?? [...(hints.get(tables.get(source) ?? '') ?? [])]
      const bound = bindBare(listed, from, shown)
      if (listed.outputs.length !== nested.outputs.length) grown.add(bound)
      return bound
    },
  })
  return rewriteQuery(expanded, {
    query: (nested) => nested,
    expression: (part) => {
      if (part.kind !== 'column' || part.source === undefined) return part
      if (part.output !== undefined && !moved.has(part.source)) return part
      const output = derived.get(part.source)?.indexOf(part.name) ?? -1
      return output < 0 ? part : { ...part, output }
    },
  })
}

/** `(SELECT * FROM t) AS s(a, b)`, once it is known that there are two columns. */
function withoutColumnNames(node: FromNode, renamed: Map<SourceId, readonly string[]>): FromNode {
  if (node.kind === 'join')
    return withChanges(node, {
      left: withoutColumnNames(node.left, renamed),
      right: withoutColumnNames(node.right, renamed),
    })
  const [only, ...rest] = node.extras
  if (node.kind !== 'derived' || only?.kind !== 'apply' || only.op !== 'field:columns' || rest.length > 0)
    return node
  const names = only.args.flatMap((name) => (name.kind === 'literal' ? [name.value] : []))
  if (namesOf(node.query)?.length !== names.length) return node
  renamed.set(node.id, names)
  return { ...node, extras: [] }
}

/** The names of all outputs; undefined where some are not listed or have none. */
function namesOf(query: QueryShape): readonly string[] | undefined {
  const first = query.kind === 'select' ? query : query.operands[0]
  if (first?.kind !== 'select' || first.outputs.some(isStarOutput)) return undefined
  const names = first.names.map((name) => name)
  return names.every((name) => name !== undefined) ? names.filter((name) => name !== undefined) : undefined
}

function isStarOutput(output: Expression): boolean {
  return output.kind === 'column' ? output.name === '*' : output.kind === 'apply' && output.op === 'star'
}

function withoutStars(select: SelectShape, from: FromNode, columnsOf: Columns): SelectShape {
  if (!select.outputs.some(isStarOutput)) return select
  const outputs = select.outputs.flatMap((output, at): readonly Output[] => {
    const same = [{ expression: output, name: select.names[at] }]
    return isStarOutput(output) ? (listed(output, from, columnsOf) ?? same) : same
  })
  return {
    ...select,
    outputs: outputs.map(({ expression }) => expression),
    names: outputs.map(({ name }) => name),
  }
}

/** The columns that a star stands for; undefined where not all are known. */
function listed(output: Expression, from: FromNode, columnsOf: Columns): readonly Output[] | undefined {
  const changed = changesOf(output)
  const star = changed === undefined ? output : changed.star
  if (star.kind !== 'column' || star.name !== '*' || changed?.changes.merged !== undefined) return undefined
  const sources = star.source === undefined ? visibleIn(from) : [star.source]
  const columns = sources?.map(columnsOf)
  if (columns === undefined || !columns.every((list) => list !== undefined)) return undefined
  const all = columns.flatMap((list) => list ?? [])
  return changed === undefined ? all : withStarChanges(all, changed.changes)
}

/** Returns the sources whose columns `*` shows, from left to right; undefined where joins merge columns. */
function visibleIn(node: FromNode): readonly SourceId[] | undefined {
  if (node.kind !== 'join') return [node.id]
  const left = visibleIn(node.left)
  if (/^(?:left)?_?(?:semi|anti)$/u.test(node.join)) return left
  const right = /^(?:inner|left|right|full)$/u.test(node.join) ? visibleIn(node.right) : undefined
  return left === undefined || right === undefined ? undefined : [...left, ...right]
}

/** Bare names bound to the only source in FROM that shows such a column. */
function bindBare(
  select: SelectShape,
  from: FromNode,
  shown: (source: SourceId) => readonly string[],
): QueryShape {
  const sources = sourcesIn(from)
  return rewriteQuery(select, {
    query: (nested) => nested,
    expression: (part) => {
      if (part.kind !== 'column' || part.source !== undefined || part.maybeText !== undefined) return part
      const [only, second] = sources.filter((source) => shown(source).includes(part.name))
      return only === undefined || second !== undefined ? part : { ...part, source: only }
    },
  })
}

function sourcesIn(node: FromNode): readonly SourceId[] {
  return node.kind === 'join' ? [...sourcesIn(node.left), ...sourcesIn(node.right)] : [node.id]
}

/** `ORDER BY a` after a set operation, once it is known which column of it is called so. */
function orderedByPlace(query: SetShape): SetShape {
  const names = namesOf(query)
  if (names === undefined || query.orderBy.length === 0) return query
  const orderBy = mapAll(query.orderBy, (item) => {
    const { by } = item
    const at = by.kind === 'column' && by.source === undefined ? names.indexOf(by.name) : -1
    return at < 0 ? item : { ...item, by: apply('output', word(String(at + 1))) }
  })
  return orderBy === query.orderBy ? query : { ...query, orderBy }
}
