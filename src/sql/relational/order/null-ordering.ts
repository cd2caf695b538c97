import type { Dialect } from '../../../enums/dialect.js'
import { isNull } from '../../conditions/boolean-expressions.js'
import type { Expression, OrderItem, QueryShape, SelectShape, SetShape } from '../../shape/query-shape.js'
import { mapAll, someExpression } from '../../shape/rewrite-query.js'
import { isSameExpression } from '../column-references.js'
import { blockOf } from '../join-block.js'
import { describeValue, isNotNull, isOptional, outputIsNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'

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
export function makeNullOrderExplicit(select: SelectShape, facts: Facts): SelectShape {
  if (select.orderBy.length === 0) return select
  const { where } = blockOf(select)
  const items = nullFlagsToNullOrder(select.orderBy)
  const orderBy = mapAll(items, (item) => {
    const isFull = isNotNull(item.by, facts, where) || assumeNoNulls(item, facts)
    const nullsFirst = isFull ? undefined : (item.nullsFirst ?? defaultNullsFirst(item, facts.dialect))
    return nullsFirst === item.nullsFirst ? item : { ...item, nullsFirst }
  })
  return orderBy === select.orderBy ? select : { ...select, orderBy }
}

/** The same of a set operation, whose keys are outputs; rows of subtotals have NULLs in them. */
export function makeNullOrderExplicitInSet(query: SetShape, facts: Facts): SetShape {
  const orderBy = mapAll(query.orderBy, (item) => {
    const output = outputOf(item.by)
    const mayBeFull =
      (item.nullsFirst === undefined || facts.assumptions.isCrossDialect) &&
      output !== undefined &&
      !hasNulls(query, output)
    const isFull =
      (output !== undefined && outputIsNotNull(query, output, facts)) ||
      (mayBeFull &&
        facts.assumptions.assume('nulls', 'what orders the rows of a set operation is never NULL'))
    const nullsFirst = isFull ? undefined : (item.nullsFirst ?? defaultNullsFirst(item, facts.dialect))
    return nullsFirst === item.nullsFirst ? item : { ...item, nullsFirst }
  })
  return orderBy === query.orderBy ? query : { ...query, orderBy }
}

/** Whether a query says NULL itself in an output, as rows of subtotals are written. */
function hasNulls(query: QueryShape, output: number): boolean {
  if (query.kind === 'set')
    return query.operation === 'group' || query.operands.some((each) => hasNulls(each, output))
  const value = query.outputs[output]
  return value === undefined || isNull(value)
}

/** Index of the output that `output(1)` stands for, from 0. */
function outputOf(by: Expression): number | undefined {
  const [place] = by.kind === 'apply' && by.op === 'output' ? by.args : []
  return place?.kind === 'literal' ? Number(place.value) - 1 : undefined
}

/** Where the query says nothing of NULLs, their position depends on its dialect; with two dialects it may have to be explicit. */
function assumeNoNulls({ by, nullsFirst }: OrderItem, facts: Facts): boolean {
  const text = `${describeValue(by, facts)}, which orders the rows, is never NULL`
  if (nullsFirst !== undefined)
    return facts.assumptions.isCrossDialect && facts.assumptions.assume('nulls', text)
  return isPlain(by, facts)
    ? facts.assumptions.assumeDialectDefault('nulls', text)
    : facts.assumptions.assume('nulls', text)
}

const plainAggregateNames: ReadonlySet<string> = new Set(['sum', 'avg', 'min', 'max', 'count'])
const makesNulls: ReadonlySet<string> = new Set(['case', 'nullif', 'filter', 'lag', 'lead'])

/** A column of a table, or an aggregate of some: of all else the query may make NULLs, as `lag`, CASE and outer joins do. */
function isPlain(by: Expression, facts: Facts): boolean {
  if (isOptional(by, facts)) return false
  if (by.kind === 'column') return by.source !== undefined && facts.names.has(by.source)
  return (
    by.kind === 'apply' &&
    plainAggregateNames.has(by.op) &&
    !someExpression(by, (part) => part.kind === 'apply' && makesNulls.has(part.op))
  )
}

export function defaultNullsFirst(item: OrderItem, dialect: Dialect): boolean | undefined {
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
export function nullFlagsToNullOrder(items: readonly OrderItem[]): readonly OrderItem[] {
  const at = items.findIndex((item, place) => {
    const next = items[place + 1]
    return (
      next !== undefined && flagged(item) !== undefined && isSameExpression(flagged(item) ?? next.by, next.by)
    )
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
