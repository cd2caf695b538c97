import { labelledPart } from '../../functions/function-table.js'
import { apply, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { hasGroupingSets } from '../groups/grouping-sets.js'
import { blockOf } from '../join-block.js'
import { assumeNotNull, isNotNull } from '../nullability.js'
import type { Facts } from '../table-facts.js'
import { mapResultValues } from './map-result-values.js'

/** `lag(x, 1, 0)` is `coalesce(lag(x), 0)` where x is never NULL: NULL then says that there is no such row. */
export function lagDefaultToCoalesce(select: SelectShape, facts: Facts): SelectShape {
  if (!select.outputs.some(hasWindow) && !select.orderBy.some(({ by }) => hasWindow(by))) return select
  const where = blockOf(select).where
  const isGrouped = select.groupBy.length > 0 && !hasGroupingSets(select)
  const isSure = (value: Expression): boolean => {
    const isOfGroup = value.kind === 'apply' && nullOnEmptyInput.has(value.op) && value.args.length === 1
    const [arg] = isOfGroup ? value.args : [value]
    if (arg === undefined || (isOfGroup && !isGrouped)) return false
    return isNotNull(arg, facts, where) || (arg.kind === 'column' && assumeNotNull(arg, facts))
  }
  const change = (value: Expression): Expression => {
    if (value.kind !== 'apply') return value
    if (value.op === 'over') return withoutDefault(value, isSure)
    const args = mapAll(value.args, change)
    return args === value.args ? value : { ...value, args }
  }
  return mapResultValues(select, change)
}

function withoutDefault(
  over: Expression & { kind: 'apply' },
  isSure: (value: Expression) => boolean,
): Expression {
  const [call, ...window] = over.args
  if (call?.kind !== 'apply' || (call.op !== 'lag' && call.op !== 'lead')) return over
  const [value, ...parts] = call.args
  const instead = labelledPart(parts, 'default')
  // A default takes the type of the column, coalesce() that of both: a whole number or a text is the same in each.
  const isPlain =
    instead?.kind === 'literal' &&
    (instead.type === 'text' || (instead.type === 'number' && /^-?\d+$/u.test(instead.value)))
  const isKnown = parts.every(
    (part) => part.kind === 'apply' && (part.op === 'field:default' || part.op === 'field:offset'),
  )
  if (value === undefined || !isPlain || !isKnown || !isSure(value)) return over
  const others = parts.filter((part) => part.kind !== 'apply' || part.op !== 'field:default')
  return apply('coalesce', { ...over, args: [{ ...call, args: [value, ...others] }, ...window] }, instead)
}

/** Aggregates that are not NULL where the group has a value. */
const nullOnEmptyInput: ReadonlySet<string> = new Set(['sum', 'avg', 'min', 'max'])
