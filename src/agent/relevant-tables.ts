import type { Catalogue } from '../engine/contract/engine.js'

/** A table in the form that the template of the `sql` role uses. */
export interface PromptTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
}

/** A schema of at most this many tables is shown completely if a text names none of them. */
const maxUnnamed = 20

/**
 * Returns the tables that a text names, by their qualified name or its last part; all tables of a small
 * schema if it names none.
 */
export function selectTables(catalogue: Catalogue | undefined, text: string): PromptTable[] {
  const tables = catalogue?.tables ?? []
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu))
  const named = tables.filter(({ name }) => words.has(lastPart(name)))
  const shown = named.length > 0 || tables.length > maxUnnamed ? named : tables
  return shown.map(({ name, columns }) => ({
    name,
    columns: columns.map(({ name, type }) => ({ name, type })),
  }))
}

function lastPart(name: string): string {
  return name
    .slice(name.lastIndexOf('.') + 1)
    .replaceAll('"', '')
    .toLowerCase()
}
