import { type LeftJoin, poolLeaves } from '../../normalize/join-pool.js'
import type { Expression, SelectShape } from '../../shape/query-shape.js'
import { mapAll, someExpression } from '../../shape/rewrite-query.js'
import { plainName } from '../../tables/table-schema.js'
import type { Column } from '../column-references.js'
import { blockOf } from '../join-block.js'
import { rejectsNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'
import { mapResultValues } from '../values/map-result-values.js'

/** One way to count what a left join finds: by one of the columns that are NULL only where nothing is found. */
export function normalizeLeftJoinCounts(select: SelectShape, facts: Facts): SelectShape {
  const { lefts } = blockOf(select)
  if (lefts.length === 0 || select.extras.length > 0) return select
  const change = (value: Expression): Expression => {
    if (value.kind !== 'apply' || value.op === 'over') return value
    const [counted, ...others] = value.op === 'count' ? value.args : []
    if (counted?.kind !== 'column' || others.length > 0) {
      const args = mapAll(value.args, change)
      return args === value.args ? value : { ...value, args }
    }
    const left = lefts.find(({ right }) => poolLeaves(right).some(({ id }) => id === counted.source))
    const found = left && notNullMatchColumn(left, facts)
    const isMatch = left !== undefined && found !== undefined && isNotNullInMatch(left, counted, facts)
    return isMatch && found.name !== counted.name ? { ...value, args: [found] } : value
  }
  return mapResultValues(select, change)
}

/** A column of the table on the other side that is not NULL in any row that matches; undefined where none is known. */
export function notNullMatchColumn(left: LeftJoin, facts: Facts): Column | undefined {
  const [table, another] = poolLeaves(left.right)
  if (table?.kind !== 'table' || another !== undefined) return undefined
  const known = facts.tables.get(table.id)
  const key = known?.keys.find(({ primary }) => primary)?.columns ?? []
  const declared = [...(known?.columns ?? [])].filter(([, { notNull }]) => notNull).map(([name]) => name)
  const asked = columnsOf(left.on, table.id).filter((name) => isAsked(left.on, table.id, name))
  const [name] = [
    ...key.filter((part) => declared.includes(plainName(part))),
    ...[...declared, ...asked].sort(),
  ]
  return name === undefined ? undefined : { kind: 'column', source: table.id, name }
}

function isNotNullInMatch({ on }: LeftJoin, { source, name }: Column, facts: Facts): boolean {
  if (source === undefined) return false
  return facts.tables.get(source)?.columns.get(plainName(name))?.notNull === true || isAsked(on, source, name)
}

function isAsked(on: readonly Expression[], source: number, name: string): boolean {
  return on.some((condition) =>
    rejectsNull(condition, (column) => column.source === source && column.name === name),
  )
}

function columnsOf(on: readonly Expression[], source: number): readonly string[] {
  const names = new Set<string>()
  for (const condition of on) {
    someExpression(condition, (part) => {
      if (part.kind === 'column' && part.source === source) names.add(part.name)
      return false
    })
  }
  return [...names]
}
