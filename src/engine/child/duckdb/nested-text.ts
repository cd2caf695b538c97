import {
  DuckDBArrayValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBUnionValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import { quoteText } from '../../query/quote-names.js'

/**
 * Returns a list, struct, map or union as text, as the driver does, but for unions: the driver leaves out which member of
 * a union it is, and `union_value(n := 1)` is not `union_value(s := '1')`. One is written as a struct of a single field.
 */
export function nestedText(value: DuckDBValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'string') return quoteText(value)
  if (value instanceof DuckDBUnionValue)
    return `{${quoteText(`union ${value.tag}`)}: ${nestedText(value.value)}}`
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue)
    return `[${value.items.map(nestedText).join(', ')}]`
  if (value instanceof DuckDBStructValue) {
    const fields = Object.entries(value.entries)
    return `{${fields.map(([name, field]) => `${quoteText(name)}: ${nestedText(field)}`).join(', ')}}`
  }
  if (value instanceof DuckDBMapValue)
    return `{${value.entries.map(({ key, value: held }) => `${nestedText(key)}: ${nestedText(held)}`).join(', ')}}`
  return value.toString()
}
