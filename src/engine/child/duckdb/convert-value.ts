import { type DuckDBType, DuckDBTypeId, type DuckDBValue } from '@duckdb/node-api'
import type { Value } from '../../contract/engine.js'
import { toExactInteger } from '../../query/row-collector.js'
import { nestedText } from './nested-text.js'

/** Converts a DuckDB cell to a `Value`, by its column's type. */
export function toValue(cell: DuckDBValue, type: DuckDBType): Value {
  if (cell === null) return null
  if (type.typeId === DuckDBTypeId.UNION) return withUnions(type.toString(), cell, '')
  if (typeof cell === 'boolean' || typeof cell === 'number' || typeof cell === 'string') return cell
  if (typeof cell === 'bigint') return toExactInteger(cell)
  const text = String(cell)
  switch (type.typeId) {
    case DuckDBTypeId.DECIMAL:
      return { kind: 'decimal', text }
    case DuckDBTypeId.DATE:
      return { kind: 'date', text }
    case DuckDBTypeId.TIMESTAMP:
    case DuckDBTypeId.TIMESTAMP_S:
    case DuckDBTypeId.TIMESTAMP_MS:
    case DuckDBTypeId.TIMESTAMP_NS:
    case DuckDBTypeId.TIMESTAMP_TZ:
      return { kind: 'timestamp', text }
    default:
      return withUnions(type.toString(), cell, text)
  }
}

function withUnions(type: string, cell: DuckDBValue, text: string): Value {
  return { kind: 'other', type, text: type.includes('UNION(') ? nestedText(cell) : text }
}
