import type { ColumnSchema, ForeignKey, Key, TableSchema } from '../tables/table-schema.js'
import { type AstObject, asIdentifier, asIdentifiers, asList, asObject, bodyOf } from './ast.js'
import { readType } from './literal.js'

/** Reads a CREATE TABLE statement: columns, keys and foreign keys; undefined for another statement. */
export function readCreateTable(statement: unknown): TableSchema | undefined {
  const body = bodyOf(statement, 'create_table')
  const name = tableName(body?.['name'])
  if (body === undefined || name === undefined) return undefined
  const written = asList(body['columns']).flatMap((item) => readColumn(asObject(item) ?? {}))
  const constraints = asList(body['constraints']).map((item) => asObject(item) ?? {})
  const keys = [...written.flatMap(({ keys }) => keys), ...constraints.flatMap(readKey)]
  const foreignKeys = [
    ...written.flatMap(({ foreignKeys }) => foreignKeys),
    ...constraints.flatMap((item) => readForeignKey(asObject(item['ForeignKey']))),
  ]
  const primary = new Set(keys.filter((key) => key.primary).flatMap((key) => key.columns))
  const columns = new Map(
    written.map(({ name: column, schema }) => [
      column,
      { ...schema, notNull: schema.notNull || primary.has(column) },
    ]),
  )
  return { name, columns, keys, foreignKeys }
}

interface WrittenColumn {
  readonly name: string
  readonly schema: ColumnSchema
  readonly keys: readonly Key[]
  readonly foreignKeys: readonly ForeignKey[]
}

function readColumn(column: AstObject): WrittenColumn[] {
  const name = lower(column['name'])
  if (name === undefined) return []
  const type = asObject(column['data_type'])
  const primary = column['primary_key'] === true
  const notNull = asList(column['constraint_order']).includes('NotNull') || column['nullable'] === false
  const references = asList(column['constraints']).flatMap((item) => {
    const reference = asObject(asObject(item)?.['References'])
    return reference === undefined ? [] : foreignKeyOf([name], reference)
  })
  return [
    {
      name,
      schema: { type: type && readType(type), notNull },
      keys: primary || column['unique'] === true ? [{ columns: [name], primary }] : [],
      foreignKeys: references,
    },
  ]
}

function readKey(constraint: AstObject): Key[] {
  return (['PrimaryKey', 'Unique'] as const).flatMap((kind) => {
    const columns = names(asObject(constraint[kind])?.['columns'])
    return columns.length === 0 ? [] : [{ columns, primary: kind === 'PrimaryKey' }]
  })
}

function readForeignKey(constraint: AstObject | undefined): ForeignKey[] {
  const reference = asObject(constraint?.['references'])
  return constraint === undefined || reference === undefined
    ? []
    : foreignKeyOf(names(constraint['columns']), reference)
}

function foreignKeyOf(columns: readonly string[], reference: AstObject): ForeignKey[] {
  const table = tableName(reference['table'])
  return table === undefined ? [] : [{ columns, table, references: names(reference['columns']) }]
}

function tableName(value: unknown): string | undefined {
  const table = asObject(value)
  const parts = ['catalog', 'schema', 'name'].flatMap((key) => asIdentifier(table?.[key]) ?? [])
  return parts.length === 0 ? undefined : parts.map((part) => part.name.toLowerCase()).join('.')
}

function names(value: unknown): string[] {
  return asIdentifiers(value).map((column) => column.name.toLowerCase())
}

function lower(value: unknown): string | undefined {
  return asIdentifier(value)?.name.toLowerCase()
}
