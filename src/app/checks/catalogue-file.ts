import { createWriteStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { Catalogue, Engine } from '../../engine/contract/engine.js'
import { AutotestError, messageOf } from '../../errors.js'
import { readCsvRecords } from '../../kb/pairs/csv-records.js'
import { readRegularFile } from '../../platform/read-regular-file.js'
import { makeTemporaryFolder } from '../../platform/temporary-folder.js'

const own = z.object({
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.object({ name: z.string(), type: z.string().default('') })),
    }),
  ),
})
const dbtColumns = z.record(
  z.string(),
  z.object({ type: z.string().nullish(), data_type: z.string().nullish() }),
)
const dbtNode = z.object({
  metadata: z.object({ schema: z.string(), name: z.string() }).optional(),
  schema: z.string().nullish(),
  name: z.string().nullish(),
  alias: z.string().nullish(),
  columns: dbtColumns,
})
const dbt = z.object({
  nodes: z.record(z.string(), z.unknown()),
  sources: z.record(z.string(), z.unknown()).default({}),
})

/**
 * Reads tables and columns from a file: what `--save-catalogue` wrote, an export of `information_schema.columns` as CSV, dbt's
 * `catalog.json` or `manifest.json`. Throws `usage` for any other.
 */
export async function readCatalogueFile(path: string): Promise<Catalogue> {
  const refuse = (why: string, cause?: unknown): AutotestError =>
    new AutotestError('usage', `${path} is no catalogue: ${why}`, {
      hint: 'Give what --save-catalogue wrote, a CSV export of information_schema.columns, or dbt’s catalog.json or manifest.json.',
      cause,
    })
  let text: string
  try {
    text = new TextDecoder().decode(await readRegularFile(path))
  } catch (error) {
    throw refuse(messageOf(error), error)
  }
  if (/\.(?:csv|tsv)$/i.test(path)) return fromInformationSchema(path, text, refuse)
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (error) {
    throw refuse(messageOf(error), error)
  }
  const written = own.safeParse(data)
  if (written.success) return written.data
  const project = dbt.safeParse(data)
  if (!project.success) throw refuse('it has neither `tables` nor `nodes`')
  const tables = [...Object.values(project.data.nodes), ...Object.values(project.data.sources)].flatMap(
    (value) => {
      const node = dbtNode.safeParse(value)
      if (!node.success) return []
      const { metadata, schema, name, alias, columns } = node.data
      const table = metadata?.name ?? alias ?? name
      const described = Object.entries(columns).map(([column, { type, data_type: declared }]) => ({
        name: column,
        type: type ?? declared ?? '',
      }))
      // A model without described columns says nothing about them.
      if (table === undefined || table === null || described.length === 0) return []
      return [{ name: `${metadata?.schema ?? schema ?? 'main'}.${table}`, columns: described }]
    },
  )
  if (tables.length === 0) throw refuse('no model in it lists its columns')
  return { tables }
}

function fromInformationSchema(
  path: string,
  text: string,
  refuse: (why: string) => AutotestError,
): Catalogue {
  const { records } = readCsvRecords(basename(path), text)
  const tables = new Map<string, { name: string; type: string }[]>()
  for (const { fields } of records) {
    const value = (name: string): string =>
      [...fields].find(([key]) => key.toLowerCase() === name)?.[1].value.trim() ?? ''
    const table = value('table_name')
    const column = value('column_name')
    if (table === '' || column === '') continue
    const schema = value('table_schema')
    const name = schema === '' ? table : `${schema}.${table}`
    tables.set(name, [...(tables.get(name) ?? []), { name: column, type: value('data_type') }])
  }
  if (tables.size === 0) throw refuse('it has no columns table_name and column_name')
  return { tables: [...tables].map(([name, columns]) => ({ name, columns })) }
}

/** Writes tables and columns, without anything else that the database says. Throws `write_failed`. */
export async function writeCatalogueFile(path: string, { tables }: Catalogue): Promise<void> {
  const plain = tables.map(({ name, columns }) => ({
    name,
    columns: columns.map(({ name: column, type }) => ({ name: column, type })),
  }))
  try {
    await writeFile(path, `${JSON.stringify({ tables: plain }, undefined, 2)}\n`)
  } catch (error) {
    throw new AutotestError('write_failed', `${path} cannot be written: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

/**
 * Opens a database with the tables of a catalogue and no row, in a folder that closing it removes: names are bound by an engine,
 * not by this program.
 *
 * @param open opens a database file that is built from a script
 */
export async function openCatalogue(
  catalogue: Catalogue,
  open: (file: string, script: string) => Promise<Engine>,
): Promise<Engine> {
  const folder = makeTemporaryFolder('autotest-catalogue-')
  const script = join(folder, 'tables.sql')
  await writeScript(script, catalogue)
  const engine = await open(join(folder, 'catalogue.duckdb'), script)
  return {
    url: 'a catalogue file',
    dialect: engine.dialect,
    fingerprint: () => engine.fingerprint(),
    catalogue: async () => catalogue,
    query: (sql, limits) => engine.query(sql, limits),
    explain: (sql, limits) => engine.explain(sql, limits),
    async close() {
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A table is found by its bare name, too, where no other schema has one of that name. */
async function writeScript(path: string, { tables }: Catalogue): Promise<void> {
  const out = createWriteStream(path)
  const schemas = new Set(
    tables.flatMap(({ name }) => (name.includes('.') ? [name.split('.').at(-2) ?? ''] : [])),
  )
  for (const schema of schemas) out.write(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)};\n`)
  const bare = new Map<string, number>()
  const bareOf = (name: string): string => name.split('.').at(-1)?.toLowerCase() ?? ''
  for (const { name } of tables) bare.set(bareOf(name), (bare.get(bareOf(name)) ?? 0) + 1)
  for (const { name, columns } of tables) {
    const body = columns.map((column) => `${quoted(column.name)} ${plainType(column.type)}`).join(', ')
    const [table = '', schema] = name.split('.').toReversed()
    if (columns.length === 0) continue
    out.write(
      `CREATE TABLE IF NOT EXISTS ${schema === undefined ? '' : `${quoted(schema)}.`}${quoted(table)} (${body});\n`,
    )
    if (schema !== undefined && schema !== 'main' && bare.get(bareOf(name)) === 1)
      out.write(`CREATE TABLE IF NOT EXISTS main.${quoted(table)} (${body});\n`)
  }
  await new Promise<void>((done, fail) => {
    out.on('error', fail)
    out.end(done)
  })
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Returns a type of DuckDB that has what matters to binding: numbers, days, instants and texts. */
function plainType(type: string): string {
  const rules: readonly (readonly [RegExp, string])[] = [
    [/bool|^bit$/i, 'BOOLEAN'],
    [/timestamp|datetime/i, 'TIMESTAMP'],
    [/^date/i, 'DATE'],
    [/^time/i, 'TIME'],
    [/int|serial/i, 'BIGINT'],
    [/num|dec|double|float|real|money|fixed/i, 'DOUBLE'],
    [/json|variant|object|super/i, 'JSON'],
  ]
  return rules.find(([pattern]) => pattern.test(type))?.[1] ?? 'VARCHAR'
}
