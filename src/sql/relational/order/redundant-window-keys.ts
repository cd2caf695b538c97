import { apply, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { includesExpression } from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { dependencyClosure, isKey } from '../functional-dependencies.js'
import { hasGroupingSets } from '../groups/grouping-sets.js'
import { blockOf, isPlainSelect, type JoinBlock } from '../join-block.js'
import { plainAggregates } from '../known-functions.js'
import type { Facts } from '../table-facts.js'
import { mapResultValues } from '../values/map-result-values.js'

type Call = Expression & { readonly kind: 'apply' }

/**
 * Windows without keys that others decide: `PARTITION BY g, 1`, `ORDER BY id, name`. Where the keys tell all rows apart,
 * rank() counts as row_number() does, and a running total may be of rows or of ranges.
 */
export function dropRedundantWindowKeys(select: SelectShape, facts: Facts): SelectShape {
  if (!select.outputs.some(hasWindow) && !select.orderBy.some(({ by }) => hasWindow(by))) return select
  const isGrouped = select.groupBy.length > 0
  const rows = { ...select, limit: undefined, offset: undefined, groupBy: [], having: undefined }
  if (!isPlainSelect(rows) || (isGrouped && hasGroupingSets(select))) return select
  const block = blockOf(select)
  const isUnique = (given: readonly Expression[]): boolean =>
    isGrouped ? select.groupBy.every((key) => includesExpression(given, key)) : isKey(given, block, facts)
  const change = (value: Expression): Expression => {
    if (value.kind !== 'apply') return value
    if (value.op === 'over') return plainWindow(value, block, isUnique, facts)
    const args = mapAll(value.args, change)
    return args === value.args ? value : { ...value, args }
  }
  return mapResultValues(select, change)
}

function argsOf(over: Call, name: string): readonly Expression[] {
  const found = over.args.find((arg) => arg.kind === 'apply' && arg.op === `field:${name}`)
  return found?.kind === 'apply' ? found.args : []
}

const ranks: ReadonlySet<string> = new Set(['rank', 'dense_rank'])
function plainWindow(
  over: Call,
  block: JoinBlock,
  isUniqueBy: (given: readonly Expression[]) => boolean,
  facts: Facts,
): Call {
  const [call] = over.args
  const partition = argsOf(over, 'partition_by')
  const order = argsOf(over, 'order_by')
  const keys: Expression[] = []
  for (const key of partition) if (!dependencyClosure(keys, block, facts).has(key)) keys.push(key)
  const terms: Expression[] = []
  const given = [...keys]
  for (const term of order) {
    const by = term.kind === 'apply' && (term.op === 'asc' || term.op === 'desc') ? term.args[0] : undefined
    if (by === undefined) return over
    if (terms.length > 0 && dependencyClosure(given, block, facts).has(by)) continue
    terms.push(term)
    given.push(by)
  }
  const isUnique = terms.length > 0 && isUniqueBy(given)
  const isRank = isUnique && call?.kind === 'apply' && ranks.has(call.op) && call.args.length === 0
  const isRunning = isUnique && call?.kind === 'apply' && plainAggregates.has(call.op)
  const args = over.args.flatMap((arg): readonly Expression[] => {
    if (arg === call) return isRank ? [apply('row_number')] : [arg]
    if (arg.kind !== 'apply') return [arg]
    if (arg.op === 'field:partition_by')
      return keys.length === 0 ? [] : keys.length === partition.length ? [arg] : [{ ...arg, args: keys }]
    if (arg.op === 'field:order_by') return terms.length === order.length ? [arg] : [{ ...arg, args: terms }]
    return isRunning && arg.op === 'field:frame' && isOfRowsSoFar(arg) ? [] : [arg]
  })
  const isSame = args.length === over.args.length && args.every((arg, at) => arg === over.args[at])
  return isSame ? over : { ...over, args }
}

/** `ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW`. */
function isOfRowsSoFar({ args: [record] }: Call): boolean {
  const parts = record?.kind === 'apply' && record.op === 'record' ? record.args : []
  const words = parts.map((part) => {
    const [value] = part.kind === 'apply' ? part.args : []
    return value?.kind === 'literal' && value.type === 'word' ? value.value : ''
  })
  return (
    parts.length === 3 &&
    words.includes('CurrentRow') &&
    words.includes('UnboundedPreceding') &&
    words.includes('Rows')
  )
}
