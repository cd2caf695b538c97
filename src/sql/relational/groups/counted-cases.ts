import { isNumeral, number } from '../../functions/table.js'
import {
  apply,
  conjunction,
  conjuncts,
  type Expression,
  type SelectShape,
  type SourceId,
  word,
} from '../../shape/query-shape.js'
import { mapAll } from '../../shape/walk.js'
import { blockOf, sourcesOf } from '../block.js'
import { reads, readsOthersOnly, same } from '../columns.js'
import { isStable } from '../functions-known.js'
import { withShownValues } from '../values/shown-values.js'
import { hasGroupingSets } from './grouping-sets.js'

type Call = Expression & { kind: 'apply' }

/**
 * In groups, which have rows, `sum(CASE WHEN c THEN 1 ELSE 0 END)` is `count(CASE WHEN c THEN 1 END)`. Where all rows are
 * one group and every output is an aggregate of what satisfies one condition, that condition chooses the rows.
 */
export function simplifyCountedCases(select: SelectShape): SelectShape {
  if (select.extras.length > 0 || select.qualify !== undefined || hasGroupingSets(select)) return select
  return select.groupBy.length > 0 ? withCounts(select) : chosenRows(select)
}

function withCounts(select: SelectShape): SelectShape {
  const own = sourcesOf(blockOf(select))
  return withShownValues(select, (value) => counted(value, own))
}

/** What an aggregate reads of an outer query alone, that query aggregates, and it may have no rows. */
function counted(value: Expression, own: ReadonlySet<SourceId>): Expression {
  if (value.kind !== 'apply' || value.op === 'over') return value
  const condition = value.op === 'sum' && value.args.length === 1 ? oneOrZero(value.args[0]) : undefined
  if (condition !== undefined && !readsOthersOnly(condition, own))
    return apply('count', apply('case', apply('when', condition, number('1'))))
  const args = mapAll(value.args, (arg) => counted(arg, own))
  return args === value.args ? value : { ...value, args }
}

/** The condition of `CASE WHEN c THEN 1 ELSE 0 END`. */
function oneOrZero(value: Expression | undefined): Expression | undefined {
  if (value?.kind !== 'apply' || value.op !== 'case' || value.args.length !== 2) return undefined
  const [when, otherwise] = value.args
  if (when?.kind !== 'apply' || when.op !== 'when' || otherwise?.kind !== 'apply' || otherwise.op !== 'else')
    return undefined
  return isNumeral(when.args[1], '1') && isNumeral(otherwise.args[0], '0') ? when.args[0] : undefined
}

const ofGivenValues: ReadonlySet<string> = new Set(['count', 'sum', 'avg', 'min', 'max'])

function chosenRows(select: SelectShape): SelectShape {
  if (select.having !== undefined || select.from === undefined || select.orderBy.length > 0) return select
  const found = select.outputs.map(ofChosen)
  const [first] = found
  if (first === undefined || !isStable(first.condition)) return select
  if (!found.every((chosen) => chosen !== undefined && same(chosen.condition, first.condition))) return select
  // What an aggregate reads of an outer query alone, that query aggregates.
  const own = sourcesOf(blockOf(select))
  if (!select.outputs.every((output) => reads(output, own))) return select
  if (found.some((chosen) => chosen !== undefined && readsOthersOnly(chosen.aggregate, own))) return select
  const outputs = found.flatMap((chosen) => (chosen === undefined ? [] : [chosen.aggregate]))
  return { ...select, outputs, where: conjunction([...conjuncts(select.where), first.condition]) }
}

/** `sum(CASE WHEN c THEN x END)`; what is counted is never NULL where it is a literal. */
function ofChosen(
  output: Expression,
): { readonly condition: Expression; readonly aggregate: Call } | undefined {
  if (output.kind !== 'apply' || !ofGivenValues.has(output.op) || output.args.length !== 1) return undefined
  const [given] = output.args
  if (given?.kind !== 'apply' || given.op !== 'case' || given.args.length !== 1) return undefined
  const [when] = given.args
  const [condition, value] = when?.kind === 'apply' && when.op === 'when' ? when.args : []
  if (condition === undefined || value === undefined) return undefined
  const isRow =
    output.op === 'count' && value.kind === 'literal' && value.type !== 'null' && value.type !== 'word'
  const aggregate: Call = { kind: 'apply', op: output.op, args: [isRow ? word('*') : value] }
  return { condition, aggregate }
}
