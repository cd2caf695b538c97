import { isNonNullLiteral } from '../conditions/boolean-expressions.js'
import { poolLeaves } from '../normalize/join-pool.js'
import { conjuncts, type Expression, type QueryShape, type SourceId } from '../shape/query-shape.js'
import { someExpression } from '../shape/rewrite-query.js'
import { plainName } from '../tables/table-schema.js'
import { type Column, isSameExpression } from './column-references.js'
import { isRowSet } from './duplicate-insensitivity.js'
import { blockOf } from './join-block.js'
import { certainlyAggregates } from './known-functions.js'
import type { Facts } from './table-facts.js'

/** Operators that are NULL where an operand is NULL. */
const nullPropagating: ReadonlySet<string> = new Set([
  ...[
    '=',
    '<>',
    '<',
    '<=',
    '+',
    '-',
    '*',
    '/',
    '%',
    'div',
    'fdiv',
    '||',
    'neg',
    'like',
    'i_like',
    'cast',
    'not',
  ],
  ...[
    'lower',
    'upper',
    'length',
    'substr',
    'substring',
    'abs',
    'round',
    'year',
    'month',
    'day',
    'trim',
    'date_trunc',
  ],
])

/** Of these, operators that are never NULL for operands that are not NULL. */
const nullFreeOperators: ReadonlySet<string> = new Set([
  ...['=', '<>', '<', '<=', '+', '-', '*', '||', 'neg', 'like', 'i_like', 'not'],
  ...['lower', 'upper', 'length', 'abs'],
])

/** Whether the value is not NULL in any row that satisfies the conditions. */
export function isNotNull(value: Expression, facts: Facts, conditions: readonly Expression[]): boolean {
  if (value.kind === 'literal') return isNonNullLiteral(value)
  if (value.kind === 'query') return isCountOfRows(value.query)
  if (value.kind === 'apply') {
    if (value.op === 'count' || value.op === 'exists' || value.op === 'is_null') return true
    if (value.op === 'coalesce') return value.args.some((arg) => isNotNull(arg, facts, conditions))
    if (nullFreeOperators.has(value.op)) return value.args.every((arg) => isNotNull(arg, facts, conditions))
    return false
  }
  if (conditions.some((condition) => rejectsNull(condition, (column) => isSameExpression(column, value))))
    return true
  return isDeclaredNotNull(value, facts)
}

/** `(SELECT count(*) FROM …)`, which has its row whatever it reads. */
function isCountOfRows(query: QueryShape): boolean {
  if (query.kind !== 'select' || query.extras.length > 0) return false
  const [count, ...others] = query.outputs
  const isWhole = query.limit === undefined && query.offset === undefined && query.having === undefined
  const isUngrouped = query.groupBy.length === 0 && query.qualify === undefined
  if (!isWhole || !isUngrouped || others.length > 0) return false
  // A count of a column of the query around it would be that query's.
  const [counted] = count?.kind === 'apply' && count.op === 'count' ? count.args : []
  if (counted?.kind === 'column') return poolLeaves(blockOf(query)).some((leaf) => leaf.id === counted.source)
  return counted?.kind === 'literal' && counted.value === '*'
}

function isDeclaredNotNull(column: Column, facts: Facts): boolean {
  const { source, output } = column
  if (source === undefined || facts.nullable.has(source)) return false
  const table = facts.tables.get(source)
  if (table !== undefined) return table.columns.get(plainName(column.name))?.notNull === true
  const query = facts.derived.get(source)
  return query !== undefined && output !== undefined && outputIsNotNull(query, output, facts)
}

/** Whether an output, counted from 0, is never NULL. */
export function outputIsNotNull(query: QueryShape, output: number, facts: Facts): boolean {
  if (query.kind === 'set') {
    return (
      (query.operation === 'union' || query.operation === 'intersect' || query.operation === 'except') &&
      query.operands.every((operand) => outputIsNotNull(operand, output, facts))
    )
  }
  const value = query.outputs[output]
  // Aggregates over no rows have a row, in which SQLite's plain columns are NULL.
  const isOneRow = query.groupBy.length === 0 && query.outputs.some(certainlyAggregates)
  if (isOneRow && value?.kind !== 'literal' && value?.kind !== 'apply') return false
  if (value === undefined || query.extras.length > 0) return false
  const given = conjuncts(query.where)
  return isNotNull(value, facts, given) || (query.groupBy.length > 0 && isFullAggregate(value, facts, given))
}

const nullOnEmptyInput: ReadonlySet<string> = new Set(['sum', 'avg', 'min', 'max'])

/** A group has a row, so that an aggregate of what is never NULL is not, either. */
function isFullAggregate(value: Expression, facts: Facts, given: readonly Expression[]): boolean {
  if (value.kind !== 'apply' || !nullOnEmptyInput.has(value.op)) return false
  const [only, ...others] = value.args
  return only !== undefined && others.length === 0 && isNotNull(only, facts, given)
}

/** Whether the condition is not true where any of the tested columns is NULL. */
export function rejectsNull(condition: Expression, test: (column: Column) => boolean): boolean {
  if (condition.kind !== 'apply') return false
  const { op, args } = condition
  const [first, second] = args
  switch (op) {
    case 'and':
      return args.some((arg) => rejectsNull(arg, test))
    case 'or':
      return args.every((arg) => rejectsNull(arg, test))
    case 'in':
      return first !== undefined && isNullWhere(first, test)
    case 'not':
      if (first?.kind !== 'apply') return false
      if (first.op === 'is_null') return first.args[0] !== undefined && isNullWhere(first.args[0], test)
      return (first.op === 'like' || first.op === 'i_like') && args.some((arg) => isNullWhere(arg, test))
    case 'exists':
      return (
        first?.kind === 'query' &&
        first.query.kind === 'select' &&
        isRowSet(first.query) &&
        conjuncts(first.query.where).some((part) => rejectsNull(part, test))
      )
    case '=':
    case '<>':
    case '<':
    case '<=':
    case 'like':
    case 'i_like':
      return (
        (first !== undefined && isNullWhere(first, test)) ||
        (second !== undefined && isNullWhere(second, test))
      )
    default:
      return false
  }
}

/** Whether the value is NULL where any tested column is. */
export function isNullWhere(value: Expression, test: (column: Column) => boolean): boolean {
  if (value.kind === 'column') return test(value)
  return (
    value.kind === 'apply' &&
    nullPropagating.has(value.op) &&
    value.args.some((arg) => isNullWhere(arg, test))
  )
}

export function isColumnOf(sources: ReadonlySet<SourceId>): (column: Column) => boolean {
  return (column) => column.source !== undefined && sources.has(column.source)
}

/** The value as people write it, for assumptions. */
export function describeValue(value: Expression, facts: Facts): string {
  if (value.kind !== 'column') return 'the compared value'
  const table = value.source === undefined ? undefined : facts.names.get(value.source)
  return table === undefined ? value.name : `${table}.${value.name}`
}

/** Whether the value is of what an outer join may find no partner for, which makes NULLs of all of it. */
export function isOptional(value: Expression, facts: Facts): boolean {
  return someExpression(
    value,
    (part) => part.kind === 'column' && part.source !== undefined && facts.nullable.has(part.source),
  )
}

/**
 * Assumes that the value is never NULL; false where that may not be, or would not help: an outer join that
 * finds no partner makes all columns of its other side NULL.
 */
export function assumeNotNull(value: Expression, facts: Facts, ofHabit = false): boolean {
  if (value.kind === 'column' && isOptional(value, facts)) return false
  const text = `${describeValue(value, facts)} is never NULL`
  return ofHabit
    ? facts.assumptions.assumeDialectDefault('nulls', text)
    : facts.assumptions.assume('nulls', text)
}
