import { existsSync, readFileSync } from 'node:fs'

/** Labelled query pairs, schemas and databases beside the repository; they are never part of it. */
export const corpora = new URL('../../shared/corpora/', import.meta.url)

export const present = existsSync(new URL('pairs_equiv.jsonl', corpora))

/** The rows of a JSON lines file, but for those whose label is doubted. */
export function rows(file) {
  const lines = readFileSync(new URL(file, corpora), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line)).filter((row) => row.suspect === undefined)
}

/** The rate that a row counts for. */
export function classOf(row) {
  if (row.label === 'different') return row.near_miss ? 'near miss' : 'other different'
  if (row.hardness === 'dialect') return 'cross-dialect'
  if (row.hardness === 'semantic') return 'semantic'
  return row.schema ? 'surface, schema' : 'surface, no schema'
}

/** The dialects of the two queries of a row. */
export function dialectsOf(row) {
  const names = row.dialect.split('~')
  return [row.dialect_a ?? names[0], row.dialect_b ?? names.at(-1)]
}

/** DDL by the name that rows give, or as written in the row. */
export function schemaTexts() {
  const named = new Map(rows('schemas.jsonl').map((row) => [row.id, row.ddl]))
  return (schema) => (schema ? (named.get(schema) ?? schema) : undefined)
}
