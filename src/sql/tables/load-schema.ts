import type { Dialect } from '../../enums/dialect.js'
import { AutotestError } from '../../errors.js'
import type { SqlParser } from '../parser-interface.js'
import { type Key, plainName, type Schema, type TableSchema } from './table-schema.js'

export type { Schema } from './table-schema.js'

/**
 * Reads CREATE TABLE statements; other statements in the text are passed over.
 * Throws `AutotestError` where the text cannot be read.
 */
export function parseSchema(parser: SqlParser, ddl: string, dialect: Dialect): Schema {
  const outcome = parser.parseTables(ddl, dialect)
  if (outcome.kind === 'failed') {
    throw new AutotestError('config_invalid', `The schema cannot be read: ${outcome.message}`, {
      hint: 'Give CREATE TABLE statements, separated by semicolons.',
    })
  }
  return schemaOf(outcome.tables)
}

/** Shape of an engine's catalogue as far as it says which columns there are, and what constraints keep out. */
export interface CatalogueTables {
  readonly tables: readonly {
    readonly name: string
    readonly columns: readonly {
      readonly name: string
      readonly type?: string | undefined
      readonly notNull?: boolean
    }[]
    readonly keys?: readonly Key[]
  }[]
}

/** Converts an engine's catalogue; the schema has no foreign keys, since engines may leave them unchecked. */
export function schemaFromCatalogue(catalogue: CatalogueTables): Schema {
  return schemaOf(
    catalogue.tables.map(({ name, columns, keys = [] }) => ({
      name: name.toLowerCase(),
      columns: new Map(
        columns.map((column) => [
          column.name.toLowerCase(),
          { type: column.type?.toLowerCase(), notNull: column.notNull === true },
        ]),
      ),
      keys: keys.map((key) => ({ ...key, columns: key.columns.map((column) => column.toLowerCase()) })),
      foreignKeys: [],
    })),
  )
}

function schemaOf(tables: readonly TableSchema[]): Schema {
  return { tables: new Map(tables.map((table) => [plainName(table.name), table])) }
}
