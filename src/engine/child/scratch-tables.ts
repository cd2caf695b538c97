import { randomBytes } from 'node:crypto'
import { scratchTableName } from '../contract/scratch-schema.js'
import type { RequestClock } from './request-clock.js'
import { type ScratchTables, ServerFault } from './server-protocol.js'

/** What differs between drivers. */
export interface ScratchAccess {
  /** Quoted, with its catalogue where it has one. */
  readonly schema: string
  readonly quote: (name: string) => string
  /** Returns the new name of a table as ALTER TABLE wants it. */
  readonly newName: (name: string) => string
  /** Runs statements in order, in one transaction where the server has transactions for them. */
  readonly run: (statements: readonly string[], clock: RequestClock) => Promise<void>
  /** Returns the names of all tables of the schema. */
  readonly names: (clock: RequestClock) => Promise<readonly string[]>
  /** Returns why a query may not be run; undefined if it may. */
  readonly refusalOf: (sql: string) => string | undefined
}

/** Creates and drops tables of copies, and no others. */
export function scratchTables({
  schema,
  quote,
  newName,
  run,
  names,
  refusalOf,
}: ScratchAccess): ScratchTables {
  const own = async (clock: RequestClock): Promise<readonly string[]> =>
    (await names(clock)).filter((name) => scratchTableName.test(name))
  const dropStatement = (name: string): string => `DROP TABLE IF EXISTS ${schema}.${quote(name)}`
  return {
    tables: own,
    async create({ name, columns, queries }, clock) {
      assertNames([name])
      const refusal = queries.map(refusalOf).find((reason) => reason !== undefined)
      if (refusal !== undefined) throw new ServerFault(`a copy cannot be written: ${refusal}`)
      const unfinished = `${name.slice(0, 'autotest_copy_20260101_'.length)}unfinished_${randomBytes(4).toString('hex')}`
      const table = `${schema}.${quote(unfinished)}`
      const definitions = columns.map((column) => `${quote(column.name)} ${column.type}`)
      const statements = [
        `CREATE TABLE ${table} (${definitions.join(', ')})`,
        ...queries.map((query) => `INSERT INTO ${table} ${query}`),
        `ALTER TABLE ${table} RENAME TO ${newName(name)}`,
      ]
      try {
        await run(statements, clock)
      } catch (error) {
        // What is left behind is dropped when it is old.
        await run([dropStatement(unfinished)], clock).catch(() => undefined)
        // Another process has created it in the meantime.
        const isThere = await own(clock).catch((): readonly string[] => [])
        if (!isThere.includes(name)) throw error
      }
    },
    async drop(dropped, clock) {
      assertNames(dropped)
      for (const name of dropped) await run([dropStatement(name)], clock)
    },
  }
}

function assertNames(names: readonly string[]): void {
  const other = names.find((name) => !scratchTableName.test(name))
  if (other !== undefined) throw new Error(`${other} is no table of a copy`)
}
