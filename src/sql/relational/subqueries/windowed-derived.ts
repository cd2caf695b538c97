import { type Expression, isStar, type SelectShape } from '../../shape/query-shape.js'
import { someInQuery } from '../../shape/rewrite-query.js'
import { asSelect } from '../as-select.js'
import { replaceColumns } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { isPlainSelect } from '../join-block.js'
import { isStable, mayAggregate } from '../known-functions.js'

/** Columns of a derived table with windows, of which no row is left out, are computed where they are shown. */
export function inlineWindowed(select: SelectShape): SelectShape {
  const { from, outputs, orderBy } = select
  if (from?.kind !== 'derived' || from.extras.length > 0 || select.where !== undefined) return select
  const { id, query } = from
  if (!isPlainSelect(query) || query.distinct || query.orderBy.length > 0 || !query.outputs.some(hasWindow))
    return select
  if (!isPlainSelect({ ...select, limit: undefined, offset: undefined })) return select
  const isComputed = (value: Expression): boolean => mayAggregate(value) || hasWindow(value) || isStar(value)
  if ([...outputs, ...orderBy.map(({ by }) => by)].some(isComputed)) return select
  if (query.outputs.some((output) => mayAggregate(output) || isStar(output) || !isStable(output)))
    return select
  const isHidden = someInQuery(
    { ...select, from: undefined },
    (part) =>
      part.kind === 'query' || (part.kind === 'column' && part.source === id && part.output === undefined),
  )
  if (isHidden) return select
  const lifted: SelectShape = { ...select, from: query.from, where: query.where }
  return asSelect(
    replaceColumns(lifted, (column) =>
      column.source === id && column.output !== undefined ? query.outputs[column.output] : undefined,
    ),
    select,
  )
}
