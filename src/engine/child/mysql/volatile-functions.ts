import type { Connection, RowDataPacket } from 'mysql2/promise'
import { callsIn } from '../../../sql-text/calls.js'
import type { Syntax } from '../../../sql-text/syntax.js'

/** The statement calls functions that may do more than to read. */
export class RefusedFunction extends Error {
  constructor(names: string) {
    super(
      `it calls ${names}, which is neither DETERMINISTIC nor READS SQL DATA nor NO SQL, or MODIFIES SQL DATA: it may do more than to read the data (declare what it does, or list it in allow_functions)`,
    )
    this.name = 'RefusedFunction'
  }
}

/**
 * Throws `RefusedFunction` where a statement calls a stored function that is declared to change something, or not declared at
 * all. The server compares the names, since it takes letters with and without accents for one.
 *
 * @param allowed names, with or without a schema
 */
export async function assertNoVolatileFunction(
  connection: Connection,
  sql: string,
  syntax: Syntax,
  allowed: readonly string[],
): Promise<void> {
  const names = [...new Set(callsIn(sql, syntax).map(({ name }) => name))]
  if (names.length === 0) return
  const list = (values: readonly string[]): string => values.map(quoted).join(', ')
  const exceptions = list(allowed.length === 0 ? [''] : allowed)
  const [rows] = await connection.query<RowDataPacket[]>(
    `SELECT DISTINCT concat(routine_schema, '.', routine_name) AS name FROM information_schema.routines
     WHERE routine_type <> 'PROCEDURE' AND routine_name IN (${list(names)})
       AND (sql_data_access = 'MODIFIES SQL DATA' OR is_deterministic = 'NO' AND sql_data_access = 'CONTAINS SQL')
       AND routine_name NOT IN (${exceptions}) AND concat(routine_schema, '.', routine_name) NOT IN (${exceptions})
     ORDER BY 1`,
  )
  const found = rows.map((row) => String(row['name']))
  if (found.length > 0) throw new RefusedFunction(found.join(', '))
}

/** Quotes a text so that it is the same in every mode of the server. */
function quoted(text: string): string {
  return `_utf8mb4 x'${Buffer.from(text).toString('hex')}'`
}
