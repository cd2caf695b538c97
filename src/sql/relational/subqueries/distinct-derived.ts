import { type Expression, isStar, type SelectShape } from '../../shape/query-shape.js'
import { asSelect } from '../as-select.js'
import { queryReads, reads, replaceColumns } from '../column-references.js'
import { isRowSet } from '../duplicate-insensitivity.js'
import { blockOf, withBlock } from '../join-block.js'
import { existsOfQuery } from './in-to-exists.js'

/** A join with DISTINCT rows of which all columns must equal something else only asks whether such a row exists. */
export function distinctToExists(select: SelectShape): SelectShape {
  const block = blockOf(select)
  if (block.items.length < 2 || select.outputs.some((output) => isStar(output))) return select
  for (const item of block.items) {
    if (item.kind !== 'derived' || item.extras.length > 0 || item.query.kind !== 'select') continue
    const { query, id } = item
    if (!query.distinct || !isRowSet(query) || query.outputs.some(isStar)) continue
    const own = new Set([id])
    const partners = query.outputs.map((_, output) => {
      const condition = block.where.find((candidate) => partnerOf(candidate, id, output, own) !== undefined)
      return condition && { condition, value: partnerOf(condition, id, output, own) }
    })
    if (!partners.every((partner) => partner?.value !== undefined)) continue
    const used = new Set(partners.map((partner) => partner?.condition))
    const rest = withBlock(select, {
      items: block.items.filter((other) => other !== item),
      lefts: block.lefts,
      where: block.where.filter((condition) => !used.has(condition)),
    })
    // Elsewhere the column is what it must equal; of another type, equal values may differ, so only conditions may read it.
    const values = partners.map((partner) => partner?.value)
    const replaced = asSelect(
      replaceColumns(rest, (column) =>
        column.source === id && column.output !== undefined ? values[column.output] : undefined,
      ),
      select,
    )
    if (queryReads(replaced, own) || replaced.outputs.some((output, at) => output !== rest.outputs[at]))
      continue
    const inner = blockOf(query)
    const equations = query.outputs.map(
      (output, at): Expression => ({ kind: 'apply', op: '=', args: [output, values[at] ?? output] }),
    )
    const body = withBlock(query, { ...inner, where: [...inner.where, ...equations] })
    const test = existsOfQuery({
      ...body,
      outputs: [],
      names: [],
      distinct: false,
      orderBy: [],
      positional: false,
    })
    const outer = blockOf(replaced)
    return withBlock(replaced, { ...outer, where: [...outer.where, test] })
  }
  return select
}

/** Returns the expression that the condition equates with the output of the derived table. */
function partnerOf(
  condition: Expression,
  id: number,
  output: number,
  own: ReadonlySet<number>,
): Expression | undefined {
  if (condition.kind !== 'apply' || condition.op !== '=') return undefined
  const [a, b] = condition.args
  if (a === undefined || b === undefined) return undefined
  const is = (side: Expression): boolean =>
    side.kind === 'column' && side.source === id && side.output === output
  if (is(a) && !reads(b, own)) return b
  return is(b) && !reads(a, own) ? a : undefined
}
