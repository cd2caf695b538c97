import type { LeafNode } from '../../normalize/join-pool.js'
import {
  apply,
  type Expression,
  emptySelect,
  isStar,
  type SelectShape,
  type SourceId,
} from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'
import { renumberSources } from '../../shape/source-ids.js'
import {
  type Column,
  includesExpression,
  isSameExpression,
  readsOnlyOuterColumns,
} from '../column-references.js'
import { hasWindow } from '../duplicate-insensitivity.js'
import { blockOf, isPlainSelect, sourcesOf, withBlock } from '../join-block.js'
import { isScalar, isStable, mayAggregate, plainAggregates } from '../known-functions.js'
import { isNonNullAndSelfEqual } from '../subqueries/correlated-self-reads.js'
import type { Facts } from '../table-facts.js'
import { mapResultValues } from '../values/map-result-values.js'

/** An aggregate over all rows that agree in the keys. */
interface PartitionWindow {
  readonly call: Expression
  readonly keys: readonly Expression[]
}

/**
 * An aggregate over partitions as a join with the groups of the same rows: `avg(a) OVER (PARTITION BY k)` is what `SELECT
 * k, avg(a) … GROUP BY k` says of the row's k. Keys are never NULL: NULLs are a partition, and join with nothing.
 */
export function partitionWindowToJoin(select: SelectShape, facts: Facts): SelectShape {
  const { outputs, orderBy } = select
  const values = [...outputs, ...orderBy.map(({ by }) => by)]
  if (select.from === undefined || !values.some(hasWindow)) return select
  if (!isPlainSelect({ ...select, limit: undefined, offset: undefined })) return select
  const block = blockOf(select)
  const isClear = ![...values, ...block.where].some((value) => isStar(value) || !isStable(value))
  if (!isClear || values.some(mayAggregate) || block.items.some(({ kind }) => kind === 'kept')) return select
  const own = sourcesOf(block)
  const isOwn = ({ call }: PartitionWindow): boolean => !readsOnlyOuterColumns(call, own)
  const isUsable = (window: PartitionWindow): boolean =>
    isOwn(window) &&
    window.keys.every(
      (key) => key.kind === 'column' && own.has(key.source ?? -1) && isNonNullAndSelfEqual(key, block, facts),
    )
  const distinct = distinctGroups(select, isOwn)
  if (distinct !== undefined) return distinct
  const groups: Groups[] = []
  const change = (value: Expression): Expression => {
    if (value.kind !== 'apply') return value
    const window = windowOf(value)
    if (window !== undefined && isUsable(window)) return columnOf(window, groups, facts)
    const args = mapAll(value.args, change)
    return args === value.args ? value : { ...value, args }
  }
  const shown = mapResultValues(select, change)
  if (groups.length === 0) return select
  return withBlock(shown, {
    ...block,
    items: [...block.items, ...groups.map((each) => derivedOf(each, select, facts))],
    where: [
      ...block.where,
      ...groups.flatMap(({ id, keys }) => keys.map((key, at) => apply('=', column(id, at), key))),
    ],
  })
}

/** DISTINCT partitions, of which nothing but their keys and aggregates is shown, are the groups of the rows. */
function distinctGroups(
  select: SelectShape,
  isOwn: (window: PartitionWindow) => boolean,
): SelectShape | undefined {
  const windows = select.outputs.map((output) => (output.kind === 'apply' ? windowOf(output) : undefined))
  const [first] = windows.filter((window) => window !== undefined)
  if (!select.distinct || first === undefined || select.orderBy.length > 0) return undefined
  const { keys } = first
  const isGroup = select.outputs.every((output, at) => {
    const window = windows[at]
    return window === undefined
      ? includesExpression(keys, output)
      : isOwn(window) && areSame(window.keys, keys)
  })
  if (!isGroup || !keys.every((key) => includesExpression(select.outputs, key))) return undefined
  const outputs = select.outputs.map((output, at) => windows[at]?.call ?? output)
  return { ...select, distinct: false, outputs, groupBy: keys }
}

/** The derived table of one way to partition, and the aggregates that are asked of it. */
interface Groups {
  readonly id: SourceId
  readonly keys: readonly Expression[]
  readonly calls: Expression[]
}

function columnOf({ call, keys }: PartitionWindow, all: Groups[], facts: Facts): Column {
  const known = all.find((each) => areSame(each.keys, keys))
  const groups = known ?? { id: facts.nextSourceId(), keys, calls: [] }
  if (known === undefined) all.push(groups)
  const at = groups.calls.findIndex((other) => isSameExpression(other, call))
  if (at < 0) groups.calls.push(call)
  return column(groups.id, keys.length + (at < 0 ? groups.calls.length - 1 : at))
}

function column(id: SourceId, output: number): Column {
  return { kind: 'column', source: id, name: `${output}`, output }
}

function derivedOf({ id, keys, calls }: Groups, { from, where }: SelectShape, facts: Facts): LeafNode {
  const outputs = [...keys, ...calls]
  const query = { ...emptySelect, from, where, outputs, names: outputs.map(() => undefined), groupBy: keys }
  return {
    kind: 'derived',
    id,
    query: renumberSources(query, () => facts.nextSourceId()),
    alias: undefined,
    extras: [],
  }
}

function windowOf({ op, args }: Expression & { kind: 'apply' }): PartitionWindow | undefined {
  const [call, partition, ...others] = args
  if (op !== 'over' || call?.kind !== 'apply' || others.length > 0) return undefined
  if (partition?.kind !== 'apply' || partition.op !== 'field:partition_by') return undefined
  const isPlain = plainAggregates.has(call.op) && call.args.length === 1 && call.args.every(isScalar)
  return isPlain ? { call, keys: partition.args } : undefined
}

function areSame(some: readonly Expression[], others: readonly Expression[]): boolean {
  return (
    some.length === others.length && some.every((value, at) => isSameExpression(value, others[at] ?? value))
  )
}
