import type { Dialect } from '../../enums/dialect.js'
import type { ExactKind } from './exact-kinds.js'

/** Dialects that have numbers for truth values. */
const truthsAsNumbers: ReadonlySet<Dialect> = new Set(['sqlite', 'mysql'])
/** Dialects that leave out the fraction of a second that there is none of, and the time zone. */
const plainMoments: ReadonlySet<Dialect> = new Set([
  'sqlite',
  'mysql',
  'postgres',
  'redshift',
  'duckdb',
  'spark',
])
/** Dialects in which a decimal loses the zeros at its end. */
const bareDecimals: ReadonlySet<Dialect> = new Set(['sqlite', 'bigquery'])
/** Dialects of one origin. */
const dialectFamilies: Partial<Record<Dialect, Dialect>> = { redshift: 'postgres', presto: 'trino' }

/** Whether two dialects write values of the kind as the same text; undefined where that is open. */
export function areRenderedAlike(kind: ExactKind, dialect: Dialect, other: Dialect): boolean | undefined {
  if ((dialectFamilies[dialect] ?? dialect) === (dialectFamilies[other] ?? other)) return true
  switch (kind) {
    case 'whole':
    case 'text':
    case 'day':
      return true
    case 'decimal':
      return !bareDecimals.has(dialect) && !bareDecimals.has(other)
    case 'truth':
      return truthsAsNumbers.has(dialect) === truthsAsNumbers.has(other)
    case 'moment':
      return plainMoments.has(dialect) && plainMoments.has(other)
    case 'float':
      return false
    case 'open':
      return undefined
  }
}
