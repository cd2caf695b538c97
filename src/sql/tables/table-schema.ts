/** The known tables of a database; look them up with `tableOf`, never by spelling. */
export interface Schema {
  readonly tables: ReadonlyMap<string, TableSchema>
}

export interface TableSchema {
  readonly name: string
  /** By plain lower-case name, in the order of the table. */
  readonly columns: ReadonlyMap<string, ColumnSchema>
  /** Sets of columns of which no two rows agree: the primary key and unique constraints. */
  readonly keys: readonly Key[]
  readonly foreignKeys: readonly ForeignKey[]
}

export interface ColumnSchema {
  /** Type as declared, in lower case; undefined where unknown. */
  readonly type: string | undefined
  /** Declared, or part of a primary key: a NULL in such a key, which SQLite allows, is treated as a fault of the data. */
  readonly notNull: boolean
}

export interface Key {
  readonly columns: readonly string[]
  /** A primary key, which foreign keys mean that name no columns. */
  readonly primary: boolean
}

export interface ForeignKey {
  readonly columns: readonly string[]
  readonly table: string
  /** Empty where the statement names none: the primary key is meant. */
  readonly references: readonly string[]
}

/** The table that a name in a query means: `orders` finds `shop.orders` and the other way round, if there is one only. */
export function tableOf(schema: Schema, name: string): TableSchema | undefined {
  const wanted = plainName(name)
  const exact = schema.tables.get(wanted)
  if (exact !== undefined) return exact
  const last = lastPart(wanted)
  const found = [...schema.tables].filter(([full]) => lastPart(full) === last)
  const isPrefix = ([full]: readonly [string, TableSchema]): boolean =>
    full === last || wanted === last || full.endsWith(`.${wanted}`) || wanted.endsWith(`.${full}`)
  const fitting = found.filter(isPrefix)
  return fitting.length === 1 ? fitting[0]?.[1] : undefined
}

/** A name without quotes, in lower case: names that differ only in these are the same to a schema. */
export function plainName(name: string): string {
  return name.replaceAll(/["`]/g, '').toLowerCase()
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}
