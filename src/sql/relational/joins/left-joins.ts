import type { LeftJoin } from '../../normalize/join-pool.js'
import { poolLeaves } from '../../normalize/join-pool.js'
import { apply, type Expression, emptySelect, isStar, type SelectShape } from '../../shape/query-shape.js'
import { asSelect } from '../as-select.js'
import { replaceColumns } from '../column-references.js'
import { blockOf, type JoinBlock, withBlock } from '../join-block.js'
import { isColumnOf, rejectsNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'

/** A left join whose unmatched rows a later condition rejects is an inner join. */
export function leftToInner(select: SelectShape): SelectShape {
  const block = blockOf(select)
  const at = block.lefts.findIndex((left) => {
    const test = isColumnOf(idsOf(left))
    return block.where.some((condition) => rejectsNull(condition, test))
  })
  const left = block.lefts[at]
  if (left === undefined) return select
  return withBlock(select, {
    items: [...block.items, ...left.right.items],
    lefts: [...block.lefts.filter((_, other) => other !== at), ...left.right.lefts],
    where: [...block.where, ...left.on],
  })
}

/** A left join that keeps only its unmatched rows asks that none exists. */
export function leftJoinToAntiJoin(select: SelectShape, facts: Facts): SelectShape {
  const block = blockOf(select)
  for (const left of block.lefts) {
    const ids = idsOf(left)
    const test = isColumnOf(ids)
    const isCheck = (condition: Expression): boolean => {
      if (condition.kind !== 'apply' || condition.op !== 'is_null') return false
      const [value] = condition.args
      if (value?.kind !== 'column' || !test(value)) return false
      return (
        left.on.some((on) =>
          rejectsNull(on, (column) => column.source === value.source && column.name === value.name),
        ) || isNeverNull(value, facts)
      )
    }
    const checks = block.where.filter(isCheck)
    if (checks.length === 0) continue
    const rest: JoinBlock = {
      items: block.items,
      lefts: block.lefts.filter((other) => other !== left),
      where: block.where.filter((condition) => !checks.includes(condition)),
    }
    if (select.outputs.some((output) => isStar(output) && !isOfOthers(output, ids))) continue
    // Of the side that has no match all is NULL.
    const without = asSelect(
      replaceColumns(withBlock(select, rest), (column) =>
        column.source !== undefined && ids.has(column.source) ? apply('null') : undefined,
      ),
      select,
    )
    const bare = blockOf(without)
    return withBlock(without, { ...bare, where: [...bare.where, apply('not', existsOf(left))] })
  }
  return select
}

/** `t.*` of a table that is not among these. */
function isOfOthers(star: Expression, ids: ReadonlySet<number>): boolean {
  return star.kind === 'column' && star.source !== undefined && !ids.has(star.source)
}

function isNeverNull(value: Expression, facts: Facts): boolean {
  if (value.kind !== 'column' || value.source === undefined) return false
  return facts.tables.get(value.source)?.columns.get(value.name)?.notNull === true
}

export function existsOf({ right, on }: LeftJoin): Expression {
  const bare = withBlock(emptySelect, { items: right.items, lefts: right.lefts, where: on })
  return apply('exists', { kind: 'query', query: bare })
}

function idsOf(left: LeftJoin): ReadonlySet<number> {
  return new Set(poolLeaves(left.right).map((node) => node.id))
}
