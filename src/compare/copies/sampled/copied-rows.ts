import type { Value } from '../../../engine/contract/engine.js'
import { plainName } from '../../../sql/index.js'
import { type Texts, textOf } from './read-rows.js'
import type { SampledTable } from './sample-tables.js'

/** Rows of a copy by the plain name of their table, as texts that the types of the columns read. */
export type CopiedRows = ReadonlyMap<string, readonly Texts[]>

/**
 * Returns rows of a fuzzed copy with what the engine's columns can hold: a value that one cannot hold is replaced by one of
 * the sample, or its row is left out where it is part of a key.
 */
export function fittingRows(table: SampledTable, rows: readonly (readonly Value[])[]): readonly Texts[] {
  const held = table.columns.map((_, at) => [...new Set(table.rows.map((row) => row[at] ?? null))])
  const bound = new Set([
    ...(table.table.keys ?? []).flatMap(({ columns }) => columns),
    ...(table.table.references ?? []).flatMap(({ columns }) => columns),
  ])
  return rows.flatMap((row, index) => {
    const fitting: (string | null)[] = []
    for (const [at, { type, nullable, name }] of table.columns.entries()) {
      const text = textOf(row[at] ?? null)
      const known = held[at] ?? []
      const fits = text === null ? nullable : type.accepts?.(text) === true || known.includes(text)
      if (fits) {
        fitting.push(text)
        continue
      }
      const others = known.filter((other) => other !== null || nullable)
      const other = others[index % others.length]
      if (other === undefined || bound.has(name)) return []
      fitting.push(other)
    }
    return [fitting]
  })
}

/** Leaves out rows that refer to a row which is not there, and so on. */
export function withoutOrphans(tables: readonly SampledTable[], all: CopiedRows): CopiedRows {
  const rows = new Map(all)
  for (let changed = true; changed; ) {
    changed = false
    for (const { name, table, columns } of tables) {
      const own = rows.get(name) ?? []
      const kept = (table.references ?? []).reduce((left, { columns: from, table: parent, targets }) => {
        const referred = tables.find((other) => other.name === plainName(parent))
        const places = placesOf(columns, from)
        const keys = referred && placesOf(referred.columns, targets)
        if (referred === undefined || keys === undefined || places === undefined) return left
        const present = new Set((rows.get(referred.name) ?? []).map((row) => keyOf(row, keys)))
        // A reference with a NULL in it refers to nothing.
        return left.filter((row) => places.some((at) => row[at] === null) || present.has(keyOf(row, places)))
      }, own)
      if (kept.length === own.length) continue
      rows.set(name, kept)
      changed = true
    }
  }
  return rows
}

function placesOf(
  columns: readonly { readonly name: string }[],
  names: readonly string[],
): number[] | undefined {
  const places = names.map((name) => columns.findIndex((column) => column.name === name))
  return places.includes(-1) ? undefined : places
}

function keyOf(row: Texts, places: readonly number[]): string {
  return JSON.stringify(places.map((at) => row[at]))
}
