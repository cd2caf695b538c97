import type { Value } from '../../contract/engine.js'
import { jsonText } from '../../query/json-values.js'
import { toExactInteger } from '../../query/row-collector.js'
import { instantInUtc } from '../service/zoned-timestamp.js'

const integers = new Set(['bigint', 'integer', 'smallint', 'tinyint'])
const day = /^\d{4}-\d\d-\d\d$/
const moment = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?$/

/**
 * Converts a cell of Trino's JSON by the type of its column (trino.io/docs/current/develop/client-protocol.html): decimals are
 * texts, whole numbers exact, what is not finite is a text.
 */
export function toValue(cell: unknown, type: string): Value {
  if (cell === null || cell === undefined) return null
  if (typeof cell === 'boolean') return cell
  if (integers.has(type)) return toExactInteger(BigInt(cell as number | bigint))
  if (type === 'double' || type === 'real') return Number(cell)
  if (typeof cell !== 'string') return { kind: 'other', type, text: jsonText(cell) }
  if (/^(?:varchar|char)\b/.test(type)) return cell
  if (type.startsWith('decimal')) return { kind: 'decimal', text: cell }
  if (type === 'date' && day.test(cell)) return { kind: 'date', text: cell }
  if (/^timestamp.* with time zone$/.test(type)) {
    const text = instantInUtc(cell)
    if (text !== undefined) return { kind: 'timestamp', text }
  } else if (type.startsWith('timestamp') && moment.test(cell)) return { kind: 'timestamp', text: cell }
  return { kind: 'other', type, text: cell }
}
