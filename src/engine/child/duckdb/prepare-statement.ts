import { type DuckDBConnection, type DuckDBPreparedStatement, StatementType } from '@duckdb/node-api'
import type { Column, ResultSet } from '../../contract/engine.js'
import { RowCollector } from '../../query/row-collector.js'
import { toValue } from './convert-value.js'

/**
 * Returns the single reading statement of a text, ready to run; undefined if there are several or it does not
 * only read. PIVOT is parsed into the creation of temporary enums followed by a SELECT; because the text
 * itself does not begin with CREATE, and the SELECT must be the last statement and the only one of its kind,
 * no other CREATE is accepted.
 */
export async function prepareSingleSelect(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement | undefined> {
  const statements = await connection.extractStatements(sql)
  for (let index = 0; index < statements.count - 1; index += 1) {
    const enumeration = await statements.prepare(index)
    if (enumeration.statementType !== StatementType.CREATE) return undefined
    await enumeration.run()
  }
  const statement = await statements.prepare(statements.count - 1)
  return statement.statementType === StatementType.SELECT ? statement : undefined
}

/** Runs a statement and reads its rows up to the caps. */
export async function collectRows(
  statement: DuckDBPreparedStatement,
  caps: { rows: number; bytes: number },
): Promise<ResultSet> {
  const result = await statement.stream()
  const types = result.columnTypes()
  const columns = types.map((type, index) => ({ name: result.columnName(index), type: type.toString() }))
  const collector = new RowCollector(columns, caps)
  for (let chunk = await result.fetchChunk(); chunk !== null; chunk = await result.fetchChunk()) {
    if (chunk.rowCount === 0) break
    const vectors = types.map((type, index) => ({ type, vector: chunk.getColumnVector(index) }))
    // Row by row, because a chunk of wide cells may be many times the cap.
    for (let row = 0; row < chunk.rowCount; row += 1) {
      if (!collector.add(vectors.map(({ type, vector }) => toValue(vector.getItem(row), type)))) {
        return collector.result()
      }
    }
  }
  return collector.result()
}

/** Returns the columns of a prepared statement. */
export function columnsOf(statement: DuckDBPreparedStatement): readonly Column[] {
  return Array.from({ length: statement.columnCount }, (_, index) => ({
    name: statement.columnName(index),
    type: statement.columnType(index).toString(),
  }))
}
