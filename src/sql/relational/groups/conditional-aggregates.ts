import type { Dialect } from '../../../enums/dialect.js'
import { isNonNullLiteral } from '../../conditions/boolean-expressions.js'
import { isNumberLiteral } from '../../functions/function-table.js'
import {
  apply,
  conjunction,
  conjuncts,
  type Expression,
  type SelectShape,
  type SourceId,
  word,
} from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { includesExpression, reads, readsOnlyOuterColumns } from '../column-references.js'
import { blockOf, sourcesOf } from '../join-block.js'
import { isAggregateCall, isStable, plainAggregates } from '../known-functions.js'
import type { Facts } from '../table-facts.js'
import { countWhere } from '../values/count-normalization.js'
import { mapResultValues } from '../values/map-result-values.js'
import { hasGroupingSets } from './grouping-sets.js'

type Call = Expression & { kind: 'apply' }

/**
 * In groups, which have rows, `sum(CASE WHEN c THEN 1 ELSE 0 END)` is `count(CASE WHEN c THEN 1 END)`. Where all rows are
 * one group and every output is an aggregate of what satisfies one condition, that condition chooses the rows.
 */
export function simplifyConditionalAggregates(select: SelectShape, facts: Facts): SelectShape {
  if (select.extras.length > 0 || select.qualify !== undefined || hasGroupingSets(select)) return select
  return select.groupBy.length > 0 ? sumCaseToCount(select, facts) : commonConditionToWhere(select)
}

function sumCaseToCount(select: SelectShape, { dialect }: Facts): SelectShape {
  const own = sourcesOf(blockOf(select))
  return mapResultValues(select, (value) => counted(value, own, dialect))
}

/** An aggregate that reads only columns of an outer query belongs to that query, which may have no rows. */
function counted(
  value: Expression,
  own: ReadonlySet<SourceId>,
  dialect: Dialect,
  isDivided = false,
): Expression {
  if (value.kind !== 'apply' || value.op === 'over') return value
  const cases = value.args.length === 1 ? numberOrZero(value.args[0], dialect) : undefined
  if (cases !== undefined && !readsOnlyOuterColumns(cases.condition, own)) {
    const { condition, size } = cases
    const count = countWhere(condition)
    if (value.op === 'sum') return times(count, isDivided ? whole(size) : size)
    if (value.op === 'avg' && !keepsOperandScale.has(dialect))
      return apply('fdiv', times(count, whole(size)), apply('count', word('*')))
  }
  const isQuotient = value.op === 'fdiv' || (isDivided && factors.has(value.op))
  const args = mapAll(value.args, (arg) => counted(arg, own, dialect, isQuotient))
  return args === value.args ? value : { ...value, args }
}

/** Dialects in which averages, or quotients of decimals, keep the places of what they are made of. */
const keepsOperandScale: ReadonlySet<Dialect> = new Set(['redshift', 'trino', 'presto'])

const factors: ReadonlySet<string> = new Set(['*', '+', '-'])

function times(count: Expression, size: Expression): Expression {
  return isNumberLiteral(size, '1') ? count : apply('*', count, size)
}

/** `1.0` as `1`, where nothing rounds. */
function whole(size: Expression): Expression {
  return size.kind === 'literal' ? { ...size, value: size.value.replace(/\.0+$/u, '') } : size
}

/** `CASE WHEN c THEN 5 ELSE 0 END`; the number has a fraction, if only of zeros, where one of the two has. */
function numberOrZero(
  value: Expression | undefined,
  dialect: Dialect,
): { readonly condition: Expression; readonly size: Expression } | undefined {
  if (value?.kind !== 'apply' || value.op !== 'case' || value.args.length !== 2) return undefined
  const [when, otherwise] = value.args
  if (when?.kind !== 'apply' || when.op !== 'when' || otherwise?.kind !== 'apply' || otherwise.op !== 'else')
    return undefined
  const [condition, size] = when.args
  const [zero] = otherwise.args
  if (condition === undefined || size?.kind !== 'literal' || size.type !== 'number') return undefined
  if (!/^[1-9]\d{0,8}(?:\.\d{1,4})?$/u.test(size.value) || zero?.kind !== 'literal') return undefined
  if (zero.type !== 'number' || !/^0(?:\.0)?$/u.test(zero.value)) return undefined
  const isMixed = size.value.includes('.') !== zero.value.includes('.')
  if (!isMixed) return { condition, size }
  // SQLite adds each number as what it is.
  if (dialect === 'sqlite') return undefined
  return { condition, size: size.value.includes('.') ? size : { ...size, value: `${size.value}.0` } }
}

function commonConditionToWhere(select: SelectShape): SelectShape {
  if (select.having !== undefined || select.from === undefined || select.orderBy.length > 0) return select
  const calls: Expression[] = []
  if (!select.outputs.every((output) => collectCalls(output, calls))) return select
  const tests = calls.map((call) => conjuncts(ofChosen(call)?.condition))
  const [first = []] = tests
  const common = first.filter(
    (condition) => isStable(condition) && tests.every((test) => includesExpression(test, condition)),
  )
  if (common.length === 0) return select
  // An aggregate that reads only columns of an outer query belongs to that query.
  const own = sourcesOf(blockOf(select))
  if (!calls.every((call) => reads(call, own))) return select
  const all = calls.map(ofChosen)
  if (all.some((chosen) => chosen !== undefined && readsOnlyOuterColumns(chosen.aggregate, own)))
    return select
  const change = (value: Expression): Expression => {
    const chosen = calls.includes(value) ? ofChosen(value) : undefined
    if (chosen !== undefined) return without(chosen, common)
    if (value.kind !== 'apply') return value
    const args = mapAll(value.args, change)
    return args === value.args ? value : { ...value, args }
  }
  const where = conjunction([...conjuncts(select.where), ...common])
  return { ...select, outputs: select.outputs.map(change), where }
}

/** Notes the aggregates; false where anything else is taken from the rows. */
function collectCalls(value: Expression, calls: Expression[]): boolean {
  if (value.kind !== 'apply') return value.kind === 'literal'
  if (isAggregateCall(value)) calls.push(value)
  return (
    isAggregateCall(value) || (value.op !== 'over' && value.args.every((arg) => collectCalls(arg, calls)))
  )
}

/** The aggregate of rows of which these conditions are known. */
function without({ condition, value, aggregate }: Chosen, known: readonly Expression[]): Expression {
  const rest = conjunction(conjuncts(condition).filter((test) => !includesExpression(known, test)))
  return rest === undefined ? aggregate : apply(aggregate.op, apply('case', apply('when', rest, value)))
}

interface Chosen {
  readonly condition: Expression
  readonly value: Expression
  readonly aggregate: Call
}

/** `sum(CASE WHEN c THEN x END)`; what is counted is never NULL where it is a literal. */
function ofChosen(output: Expression): Chosen | undefined {
  if (output.kind !== 'apply' || !plainAggregates.has(output.op) || output.args.length !== 1) return undefined
  const [given] = output.args
  if (given?.kind !== 'apply' || given.op !== 'case' || given.args.length !== 1) return undefined
  const [when] = given.args
  const [condition, value] = when?.kind === 'apply' && when.op === 'when' ? when.args : []
  if (condition === undefined || value === undefined) return undefined
  const isRow = output.op === 'count' && isNonNullLiteral(value)
  const aggregate: Call = { kind: 'apply', op: output.op, args: [isRow ? word('*') : value] }
  return { condition, value, aggregate }
}
