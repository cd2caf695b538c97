import type { SqlCase } from '../../benchmark/case.js'
import type { Dialect } from '../../enums/dialect.js'

/** A comparison request. */
export interface ComparisonRequest {
  readonly testCase: SqlCase
  readonly generatedSql: string
  /** Dialect of the generated query; undefined: the engine's. */
  readonly generatedDialect: Dialect | undefined
  /** URL of the database to run both on; undefined: none. */
  readonly engine: string | undefined
}
