import type { SqlCase } from '../../benchmark/case.js'
import type { Dialect } from '../../enums/dialect.js'

/** What a person asks to compare. */
export interface ComparisonRequest {
  readonly testCase: SqlCase
  readonly generatedSql: string
  /** What the generated query is written in; undefined: the engine's. */
  readonly generatedDialect: Dialect | undefined
  /** URL of the database to run both on; undefined: none. */
  readonly engine: string | undefined
}
