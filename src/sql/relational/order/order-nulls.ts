import type { Dialect } from '../../../dialect.js'
import type { Expression, OrderItem, SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/walk.js'
import { blockOf } from '../block.js'
import { same } from '../columns.js'
import type { Facts } from '../facts.js'
import { isNotNull, isOptional, wordsFor } from '../nulls.js'

/** Where NULLs go unless the query says. */
const defaults: Partial<Record<Dialect, 'smallest' | 'largest' | 'last'>> = {
  sqlite: 'smallest',
  mysql: 'smallest',
  bigquery: 'smallest',
  spark: 'smallest',
  postgres: 'largest',
  redshift: 'largest',
  snowflake: 'largest',
  duckdb: 'last',
  trino: 'last',
  presto: 'last',
}

/** Says of each ordering key where its NULLs go, as far as it can have any. */
export function statePlaceOfNulls(select: SelectShape, facts: Facts): SelectShape {
  if (select.orderBy.length === 0) return select
  const { where } = blockOf(select)
  const items = withoutNullFlags(select.orderBy)
  const orderBy = mapAll(items, (item) => {
    const isFull = isNotNull(item.by, facts, where) || assumeNoNulls(item, facts)
    const nullsFirst = isFull ? undefined : (item.nullsFirst ?? defaultFor(item, facts.dialect))
    return nullsFirst === item.nullsFirst ? item : { ...item, nullsFirst }
  })
  return orderBy === select.orderBy ? select : { ...select, orderBy }
}

/** Where the query says nothing of NULLs, their place is a habit of its dialect; in two dialects one may have to say it. */
function assumeNoNulls({ by, nullsFirst }: OrderItem, facts: Facts): boolean {
  const text = `${wordsFor(by, facts)}, which orders the rows, is never NULL`
  if (nullsFirst !== undefined) return facts.assumptions.across && facts.assumptions.make('nulls', text)
  return isOptional(by, facts)
    ? facts.assumptions.make('nulls', text)
    : facts.assumptions.makeOfHabit('nulls', text)
}

export function defaultFor(item: OrderItem, dialect: Dialect): boolean | undefined {
  switch (defaults[dialect]) {
    case 'smallest':
      return !item.descending
    case 'largest':
      return item.descending
    case 'last':
      return false
    default:
      return undefined
  }
}

/** `ORDER BY CASE WHEN x IS NULL THEN 1 ELSE 0 END, x` and `ORDER BY x IS NULL, x` put NULLs last. */
export function withoutNullFlags(items: readonly OrderItem[]): readonly OrderItem[] {
  const at = items.findIndex((item, place) => {
    const next = items[place + 1]
    return next !== undefined && flagged(item) !== undefined && same(flagged(item) ?? next.by, next.by)
  })
  const [flag, next] = [items[at], items[at + 1]]
  if (flag === undefined || next === undefined) return items
  const nullsFirst = flag.descending !== isReversed(flag.by)
  return [...items.slice(0, at), { ...next, nullsFirst }, ...items.slice(at + 2)]
}

function flagged(item: OrderItem): Expression | undefined {
  if (item.extras.length > 0) return undefined
  return nullTest(item.by) ?? caseTest(item.by)?.value
}

function isReversed(by: Expression): boolean {
  return caseTest(by)?.reversed === true
}

function nullTest(value: Expression): Expression | undefined {
  return value.kind === 'apply' && value.op === 'is_null' ? value.args[0] : undefined
}

function caseTest(by: Expression): { readonly value: Expression; readonly reversed: boolean } | undefined {
  if (by.kind !== 'apply' || by.op !== 'case' || by.args.length !== 2) return undefined
  const [when, otherwise] = by.args
  if (when?.kind !== 'apply' || otherwise?.kind !== 'apply') return undefined
  const [condition, then] = when.args
  const [other] = otherwise.args
  const value = condition && nullTest(condition)
  if (value === undefined || then?.kind !== 'literal' || other?.kind !== 'literal') return undefined
  if (then.value === '1' && other.value === '0') return { value, reversed: false }
  return then.value === '0' && other.value === '1' ? { value, reversed: true } : undefined
}
