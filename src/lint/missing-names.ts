import type { Catalogue } from '../engine/contract/engine.js'
import { syntaxFor } from '../sql-text/syntax.js'
import { tokensOf } from '../sql-text/tokens.js'
import { nearest } from '../text/nearest-word.js'

/** A name in a query that the database does not have. */
export interface MissingName {
  readonly name: string
  readonly kind: 'table' | 'column'
  /** Offset in the query. */
  readonly offset: number
  /** Names that are near it, or the tables that have the column. */
  readonly hint: string | undefined
  /** The query with NULL in place of a column, so that the next name can be found; absent for a table. */
  readonly without?: string | undefined
}

interface NameToken {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Returns the name that an engine's message is about, if the query has it and the database does not. */
export function missingName(sql: string, message: string, catalogue: Catalogue): MissingName | undefined {
  // Suggestions of the engine itself follow its first line.
  const [said = ''] = message.split(/\n|did you mean|candidate bindings/i)
  const names = nameTokens(sql)
  const tables = catalogue.tables.map(({ name }) => name)
  const parts = new Set(tables.flatMap((name) => [name, name.split('.').at(-1) ?? name]).map(fold))
  const columns = catalogue.tables.flatMap((table) =>
    table.columns.map(({ name }) => ({ name, table: table.name })),
  )
  const mentioned = names.filter(
    ({ name }) =>
      new RegExp(`(?<![\\w.])(?:[\\w"\`]+\\.)*["'\`]?${escaped(name)}["'\`]?(?!\\w)`, 'i').test(said) &&
      !parts.has(fold(name)),
  )
  const table = mentioned.find(({ start }) =>
    /\b(?:from|join|update|into)\s+(?:["`\w]+\.)*["`]?$/i.test(sql.slice(0, start)),
  )
  if (table !== undefined && /table|relation|object|view|catalog/i.test(said)) {
    const { name, start } = table
    const near = nearest(name, parts)
    return { name, kind: 'table', offset: start, hint: near && `the nearest table is ${near}` }
  }
  const column = mentioned.findLast(({ name }) =>
    new RegExp(`["'\`.: ]${escaped(name)}["'\`!;,. ]?`, 'i').test(said),
  )
  if (column === undefined || !/column|identifier|reference|field|binder/i.test(said)) return undefined
  const { name, start, end } = column
  return {
    name,
    kind: 'column',
    offset: start,
    hint: hintFor(name, columns),
    without: withNull(sql, { name, start, end }),
  }
}

function hintFor(
  name: string,
  columns: readonly { readonly name: string; readonly table: string }[],
): string | undefined {
  const elsewhere = columns.filter((each) => fold(each.name) === fold(name)).map(({ table }) => table)
  if (elsewhere.length > 0)
    return `${[...new Set(elsewhere)].slice(0, 3).join(', ')} ${elsewhere.length === 1 ? 'has' : 'have'} it`
  const near =
    nearest(
      name,
      columns.map((each) => each.name),
    ) ??
    containing(
      name,
      columns.map((each) => each.name),
    )
  const owner = columns.find((each) => each.name === near)
  return owner && `the nearest column is ${owner.table}.${owner.name}`
}

/** Returns a name that shares a word with another, perhaps misspelt: `gross_amount` for `amont`. */
function containing(name: string, names: readonly string[]): string | undefined {
  const words = (text: string): string[] =>
    fold(text)
      .split('_')
      .filter((word) => word.length > 2)
  const own = words(name)
  return names.find((other) =>
    words(other).some((word) => own.some((each) => nearest(each, [word]) !== undefined)),
  )
}

/** Puts NULL in place of a column wherever it is written, with what qualifies it. */
function withNull(sql: string, { name }: NameToken): string {
  return nameTokens(sql)
    .filter((token) => fold(token.name) === fold(name))
    .toReversed()
    .reduce((text, { start, end }) => {
      const qualifier = /(?:["`]?\w+["`]?\.)+$/.exec(text.slice(0, start))?.[0] ?? ''
      return `${text.slice(0, start - qualifier.length)}NULL${text.slice(end)}`
    }, sql)
}

function nameTokens(sql: string): NameToken[] {
  return [...tokensOf(sql, syntaxFor('ansi'))].flatMap(({ kind, start, end }) => {
    if (kind !== 'word' && kind !== 'name') return []
    const name = sql.slice(start, end).replaceAll(/^["`[]|["`\]]$/g, '')
    return /^\d/.test(name) ? [] : [{ name, start, end }]
  })
}

function fold(name: string): string {
  return name.toLowerCase()
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
