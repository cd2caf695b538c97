import type { Dialect } from '../../enums/dialect.js'

/**
 * Dialects that take no text for a number or a date unless it is cast or a literal: only dates and times have a year there,
 * or are compared with a date, and what COALESCE gives is of one type.
 */
export const strictlyTyped: ReadonlySet<Dialect> = new Set([
  ...(['postgres', 'redshift', 'duckdb', 'trino', 'presto', 'bigquery'] as const),
])
