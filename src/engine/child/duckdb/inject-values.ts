import { copyFile } from 'node:fs/promises'
import { messageOf } from '../../../errors.js'
import { literalOf } from '../../fuzz/candidate-literals.js'
import { injectValues } from '../../fuzz/inject-values.js'
import type { InjectionTarget } from '../../fuzz/injection-target.js'
import { quoteName } from '../../query/quote-names.js'
import type { InjectRequest } from '../protocol.js'
import { readTables } from './read-tables.js'
import { writeDatabase } from './write-database.js'

/** Errors of the engine rather than of a statement: after any other error, a value is left out. */
const fatalErrors = /^(?:IO|FATAL|INTERNAL|Out of Memory) Error/iu

/** Writes a copy of a DuckDB copy with values injected into it. */
export async function injectDuckdbValues(
  memoryBytes: number,
  { copy, target, values, spread }: InjectRequest,
): Promise<void> {
  await copyFile(copy, target)
  await writeDatabase(target, memoryBytes, async (connection) => {
    // Defaults name their sequences without the database.
    await connection.run('USE changed')
    const tables = await readTables(connection, 'changed')
    const rowsOf = async (sql: string): Promise<readonly (readonly unknown[])[] | undefined> => {
      try {
        return (await connection.runAndReadAll(sql)).getRowsJson()
      } catch (error) {
        if (fatalErrors.test(messageOf(error))) throw error
        return undefined
      }
    }
    const textsOf = async (sql: string): Promise<string[] | undefined> =>
      (await rowsOf(sql))?.flatMap(([cell]) => (typeof cell === 'string' ? [cell] : []))
    const database: InjectionTarget = {
      updateClause: 'UPDATE',
      jsonPatch: 'json_merge_patch',
      async run(sql) {
        await rowsOf(sql)
      },
      queryTexts: textsOf,
      async storedText(value, column, table) {
        const type = (await textsOf(`SELECT typeof(${column}) FROM ${table} LIMIT 1`))?.[0]
        if (type === undefined) return undefined
        return (await textsOf(`SELECT CAST(TRY_CAST(${literalOf(value)} AS ${type}) AS VARCHAR)`))?.[0]
      },
    }
    await injectValues(
      database,
      tables.map(({ schema, table, name, shape }) => ({
        name,
        quoted: `changed.${quoteName(schema)}.${quoteName(table)}`,
        rowKey: ['rowid'],
        shape,
      })),
      values,
      spread,
    )
  })
}
