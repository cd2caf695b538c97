import type { Catalogue } from '../engine/contract/engine.js'

/** A table as the template of the `sql` role sees it. */
export interface PromptTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
}

/** Where a text names no table at all, so many are shown rather than none. */
const maxUnnamed = 20

/** The tables that a text names, by their whole name or its last part; all of a small database where it names none. */
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
