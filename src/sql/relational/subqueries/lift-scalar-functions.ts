import { conjuncts, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { hasQuery, mapAll } from '../../shape/rewrite-query.js'
import { isPlainSelect } from '../join-block.js'
import { isAggregateCall } from '../known-functions.js'
import { mapResultValues } from '../values/map-result-values.js'
import { scalarOperators } from './lookup-to-join.js'

/**
 * Moves functions of the only aggregate of a scalar subquery out of it: `(SELECT coalesce(sum(x), 0) FROM t)` becomes
 * `coalesce((SELECT sum(x) FROM t), 0)`. Without groups there is always a row.
 */
export function liftFunctionsFromScalars(select: SelectShape): SelectShape {
  const values = [...select.outputs, ...select.orderBy.map(({ by }) => by), ...conjuncts(select.having)]
  if (!values.some(hasQuery)) return select
  const change = (value: Expression): Expression => {
    if (value.kind === 'query') return lifted(value)
    if (value.kind !== 'apply' || !scalarOperators.has(value.op)) return value
    const args = mapAll(value.args, change)
    return args === value.args ? value : { ...value, args }
  }
  return mapResultValues(select, change)
}

function lifted(value: Expression & { kind: 'query' }): Expression {
  const { query } = value
  if (query.kind !== 'select' || !isPlainSelect(query) || query.distinct) return value
  const [output, ...others] = query.outputs
  if (output?.kind !== 'apply' || others.length > 0 || isAggregateCall(output)) return value
  let calls = 0
  const around = (part: Expression): Expression | undefined => {
    if (part.kind === 'literal') return part
    if (part.kind !== 'apply') return undefined
    if (isAggregateCall(part)) {
      calls++
      return { kind: 'query', query: { ...query, outputs: [part], names: [undefined], orderBy: [] } }
    }
    if (!scalarOperators.has(part.op)) return undefined
    const args = part.args.map(around)
    return args.every((arg) => arg !== undefined) ? { ...part, args } : undefined
  }
  const whole = around(output)
  return whole !== undefined && calls === 1 ? whole : value
}
