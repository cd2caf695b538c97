import type { Expression } from '../../shape/query-shape.js'
import { integers, isOnly, kindsOfType } from '../../typing/kinds.js'
import { describeValue } from '../nullability.js'
import { declaredType, type Facts } from '../table-facts.js'

const counting: ReadonlySet<string> = new Set(['row_number', 'rank', 'dense_rank'])

/** Whether the value is an integer or NULL: what is counted, or a column that is declared so. */
export function isIntegerValued(value: Expression, facts: Facts): boolean {
  if (value.kind === 'query') {
    const [only, ...others] = value.query.kind === 'select' ? value.query.outputs : []
    return only !== undefined && others.length === 0 && isCounted(only)
  }
  return isCounted(value) || isColumnOfIntegers(value, facts)
}

function isCounted(value: Expression): boolean {
  if (value.kind !== 'apply') return false
  const [first] = value.args
  return value.op === 'count' || (value.op === 'over' && first?.kind === 'apply' && counting.has(first.op))
}

function isColumnOfIntegers(value: Expression, facts: Facts): boolean {
  if (value.kind !== 'column') return false
  const query = value.source === undefined ? undefined : facts.derived.get(value.source)
  if (query !== undefined) {
    const output =
      query.kind === 'select' && value.output !== undefined ? query.outputs[value.output] : undefined
    return output !== undefined && isIntegerValued(output, facts)
  }
  const type = declaredType(value, facts)
  if (type === undefined || !isOnly(kindsOfType(type), integers)) return false
  // SQLite keeps 1.5 in a column of integers, and of two databases the other may be SQLite.
  return (
    (facts.dialect !== 'sqlite' && !facts.assumptions.isCrossDialect) ||
    facts.assumptions.assume('types', `${describeValue(value, facts)} holds whole numbers only`)
  )
}

/** Whether the value is a place, which is 1 or more, or NULL. */
export function isRowPosition(value: Expression, facts: Facts): boolean {
  if (value.kind === 'apply') {
    const [call] = value.args
    return value.op === 'over' && call?.kind === 'apply' && counting.has(call.op)
  }
  const query =
    value.kind === 'column' && value.source !== undefined ? facts.derived.get(value.source) : undefined
  if (value.kind !== 'column' || query?.kind !== 'select' || value.output === undefined) return false
  const output = query.outputs[value.output]
  return output !== undefined && isRowPosition(output, facts)
}
