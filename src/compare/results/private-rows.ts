import { createHmac, randomBytes } from 'node:crypto'
import type { Value } from '../../engine/contract/engine.js'
import type { RowPrivacy } from '../../enums/row-privacy.js'
import type { RowComparison, RowDifference } from '../model/sql-score.js'

/** Of this process: without it, whoever reads a report could try values until their marks agree. */
const key = randomBytes(32)

/** Returns the comparison with as much of its rows as may leave this process; what differs and how much stays. */
export function withPrivateRows(comparison: RowComparison, privacy: RowPrivacy): RowComparison {
  if (privacy === 'full') return comparison
  const differences = comparison.differences.flatMap((difference) => privateDifference(difference, privacy))
  return { ...comparison, differences }
}

function privateDifference(difference: RowDifference, privacy: RowPrivacy): RowDifference[] {
  // These name columns, and say that rows are in another order.
  if (difference.kind === 'columns' || difference.kind === 'order') return [difference]
  if (privacy === 'none') return []
  if (difference.kind === 'changed')
    return [
      { ...difference, expected: difference.expected.map(masked), actual: difference.actual.map(masked) },
    ]
  return [{ ...difference, row: difference.row.map(masked) }]
}

/** Equal values of one run have equal marks. */
function masked(value: Value): Value {
  if (value === null) return null
  const text = typeof value === 'object' ? `${value.kind} ${value.text}` : `${typeof value} ${String(value)}`
  return `‹${createHmac('sha256', key).update(text).digest('hex').slice(0, 6)}›`
}
