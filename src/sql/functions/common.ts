import type { Dialect } from '../../dialect.js'
import { apply, type Expression, word } from '../shape/query-shape.js'
import { bigquery } from './bigquery.js'
import { duckdb } from './duckdb.js'
import { everywhere } from './everywhere.js'
import { mysql } from './mysql.js'
import { postgres } from './postgres.js'
import { snowflake } from './snowflake.js'
import { spark } from './spark.js'
import { sqlite } from './sqlite.js'
import type { FunctionTable } from './table.js'
import { trino } from './trino.js'
import { commonType } from './types.js'

const tables: Record<Dialect, FunctionTable> = {
  ansi: new Map(),
  sqlite,
  postgres,
  redshift: postgres,
  mysql,
  trino,
  presto: trino,
  duckdb,
  bigquery,
  snowflake,
  spark,
}

/**
 * A call in the words that all dialects share, so that queries in two dialects can be compared. `across` says that
 * they are: then types that only differ in range are one.
 */
export function toCommon(expression: Expression, dialect: Dialect, across: boolean): Expression {
  if (across && expression.kind === 'literal' && expression.type === 'boolean')
    return { kind: 'literal', type: 'number', value: expression.value === 'true' ? '1' : '0' }
  if (across && expression.kind === 'literal' && expression.type === 'timestamp')
    return apply('cast', { ...expression, type: 'text' }, word('timestamp'))
  if (expression.kind !== 'apply') return expression
  const { op, args } = expression
  const own = tables[dialect].get(op)?.(args, dialect)
  if (own !== undefined) return own
  if (op === 'cast' || op === 'try_cast') {
    const [value, type] = args
    if (value === undefined || type?.kind !== 'literal' || args.length !== 2) return expression
    const common = commonType(type.value, dialect, across)
    return common === type.value ? expression : apply(op, value, word(common))
  }
  return everywhere.get(op)?.(args, dialect) ?? expression
}
