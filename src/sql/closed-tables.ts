import type { ColumnHints } from './normalize/hints.js'
import type { Expression, FromNode, QueryShape, SelectShape, SourceId } from './shape/query-shape.js'
import { rewriteQuery } from './shape/walk.js'

/**
 * The query with `*` as the columns that both queries of a pair show a table to have, as if it had no others. The
 * tables for which that was needed are added to `closed`.
 */
export function expandShownStars(query: QueryShape, hints: ColumnHints, closed: Set<string>): QueryShape {
  const tables = new Map<SourceId, string>()
  const derived = new Map<SourceId, readonly string[]>()
  const visit = (node: FromNode): void => {
    if (node.kind === 'join') [node.left, node.right].forEach(visit)
    if (node.kind === 'table' && node.extras.length === 0) tables.set(node.id, node.name)
    const names = node.kind === 'derived' && node.extras.length === 0 ? namesOf(node.query) : undefined
    if (node.kind === 'derived' && names !== undefined) derived.set(node.id, names)
  }
  const columnsOf = (source: SourceId): readonly Expression[] | undefined => {
    const table = tables.get(source)
    const shown = table === undefined ? undefined : hints.get(table)
    if (table !== undefined && shown !== undefined) {
      closed.add(table)
      return [...shown].filter((name) => name !== '*').map((name) => ({ kind: 'column', source, name }))
    }
    return derived.get(source)?.map((name, output) => ({ kind: 'column', source, name, output }))
  }
  const expanded = rewriteQuery(query, {
    expression: (expression) => expression,
    query: (nested) => {
      if (nested.kind !== 'select' || nested.from === undefined) return nested
      visit(nested.from)
      return withoutStars(nested, columnsOf)
    },
  })
  return rewriteQuery(expanded, {
    query: (nested) => nested,
    expression: (part) => {
      if (part.kind !== 'column' || part.source === undefined || part.output !== undefined) return part
      const output = derived.get(part.source)?.indexOf(part.name) ?? -1
      return output < 0 ? part : { ...part, output }
    },
  })
}

/** The names of all outputs; undefined where some are not listed or have none. */
function namesOf(query: QueryShape): readonly string[] | undefined {
  const first = query.kind === 'select' ? query : query.operands[0]
  if (first?.kind !== 'select' || first.outputs.some(isAll)) return undefined
  const names = first.names.map((name) => name)
  return names.every((name) => name !== undefined) ? names.filter((name) => name !== undefined) : undefined
}

function isAll(output: Expression): output is Expression & { kind: 'column' } {
  return output.kind === 'column' && output.name === '*'
}

function withoutStars(
  select: SelectShape,
  columnsOf: (source: SourceId) => readonly Expression[] | undefined,
): SelectShape {
  if (!select.outputs.some(isAll)) return select
  const outputs: Expression[] = []
  const names: (string | undefined)[] = []
  select.outputs.forEach((output, at) => {
    const columns = isAll(output) && output.source !== undefined ? columnsOf(output.source) : undefined
    outputs.push(...(columns ?? [output]))
    names.push(
      ...(columns?.map((column) => (column.kind === 'column' ? column.name : undefined)) ?? [
        select.names[at],
      ]),
    )
  })
  return { ...select, outputs, names }
}
