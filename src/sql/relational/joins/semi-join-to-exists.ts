import type { Dialect } from '../../../enums/dialect.js'
import type { JoinItem } from '../../normalize/join-pool.js'
import { poolLeaves } from '../../normalize/join-pool.js'
import { apply, type SelectShape } from '../../shape/query-shape.js'
import { queryReads } from '../column-references.js'
import { blockOf, withBlock } from '../join-block.js'
import type { Facts } from '../table-facts.js'
import { existsOf } from './left-joins.js'

type Kept = JoinItem & { kind: 'kept' }

/** Dialects that have such joins; elsewhere SEMI is an alias. */
const haveSemiJoins: ReadonlySet<Dialect> = new Set(['duckdb', 'spark'])

/** `a SEMI JOIN b ON …` as `EXISTS`, `a ANTI JOIN b ON …` as `NOT EXISTS`: nothing else can read b. */
export function semiJoinToExists(select: SelectShape, { dialect }: Facts): SelectShape {
  if (!haveSemiJoins.has(dialect)) return select
  const block = blockOf(select)
  const join = block.items.find(isSemiJoin)
  if (join === undefined) return select
  const found = existsOf({
    right: { ...join.right, conditions: [] },
    on: [...join.right.conditions, ...join.on],
  })
  const changed = withBlock(select, {
    items: block.items.flatMap((item) => (item === join ? join.left.items : [item])),
    lefts: [...join.left.lefts, ...block.lefts],
    where: [...block.where, ...join.left.conditions],
  })
  const hidden = new Set(poolLeaves(join.right).map(({ id }) => id))
  if (queryReads(changed, hidden)) return select
  const bare = blockOf(changed)
  return withBlock(changed, {
    ...bare,
    where: [...bare.where, join.join === 'semi' ? found : apply('not', found)],
  })
}

function isSemiJoin(item: JoinItem): item is Kept {
  return item.kind === 'kept' && item.extras.length === 0 && (item.join === 'semi' || item.join === 'anti')
}
