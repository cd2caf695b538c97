import type { Skipped } from '../entries/entry-format.js'
import { lineCounter } from '../entries/text-lines.js'
import type { Field, PairRecord, Records } from './record.js'

const separators = [',', ';', '\t', '|']

interface Cell extends Field {
  readonly isClosed: boolean
}

/** Reads the rows of a CSV file by its header, whatever separates its fields, with the place of each field. */
export function readCsvRecords(path: string, file: string): Records {
  const from = file.startsWith('\uFEFF') ? 1 : 0
  const separator = separatorOf(file.slice(from))
  const lineOf = lineCounter(file)
  const skipped: Skipped[] = []
  const rows = rowsOf(file, from, separator)
  const [header, ...others] = rows
  const names = header?.cells.map(({ value }) => value.trim()) ?? []
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined)
    skipped.push({ path, line: 1, why: `the column ${repeated} stands twice; the first one is read` })
  const records = others.flatMap(({ cells, start, end }): PairRecord[] => {
    const line = lineOf(start)
    if (cells.length === 1 && cells[0]?.value === '') return []
    if (cells.some(({ isClosed }) => !isClosed)) {
      skipped.push({ path, line, why: 'a quoted field without an end' })
      return []
    }
    if (cells.length !== names.length) {
      skipped.push({ path, line, why: `${cells.length} fields in place of ${names.length}` })
      return []
    }
    const fields = new Map<string, Field>()
    for (const [at, name] of names.entries()) {
      const cell = cells[at]
      if (cell !== undefined && !fields.has(name)) fields.set(name, cell)
    }
    return [{ fields, whole: { start, end }, line }]
  })
  return { records, skipped }
}

/** Returns the separator that divides the header into most fields. */
function separatorOf(file: string): string {
  const counts = separators.map((separator) => rowsOf(file, 0, separator, 1)[0]?.cells.length ?? 0)
  return separators[counts.indexOf(Math.max(...counts))] ?? ','
}

interface Row {
  readonly cells: readonly Cell[]
  readonly start: number
  /** After its line end. */
  readonly end: number
}

/** Divides a text into rows and fields (RFC 4180): quotes are doubled within quoted fields, which may have line ends. */
function rowsOf(file: string, from: number, separator: string, most = Number.POSITIVE_INFINITY): Row[] {
  const rows: Row[] = []
  let at = from
  while (at < file.length && rows.length < most) {
    const start = at
    const cells: Cell[] = []
    for (;;) {
      const cell = cellAt(file, at, separator)
      cells.push(cell)
      at = cell.span.end
      if (file[at] !== separator) break
      at++
    }
    // What follows a closing quote belongs to no field; the row is not sound.
    const rest = /[^\r\n]*(?:\r\n|\n|\r|$)/y
    rest.lastIndex = at
    const tail = rest.exec(file)?.[0] ?? ''
    if (/[^\r\n]/.test(tail)) cells.push({ value: '', span: { start: at, end: at }, isClosed: false })
    at += Math.max(tail.length, at < file.length ? 1 : 0)
    rows.push({ cells, start, end: Math.min(at, file.length) })
  }
  return rows
}

function cellAt(file: string, start: number, separator: string): Cell {
  if (file[start] !== '"') {
    let end = start
    while (end < file.length && file[end] !== separator && file[end] !== '\n' && file[end] !== '\r') end++
    return { value: file.slice(start, end), span: { start, end }, isClosed: true }
  }
  let end = start + 1
  for (;;) {
    const quote = file.indexOf('"', end)
    if (quote < 0) return { value: '', span: { start, end: file.length }, isClosed: false }
    if (file[quote + 1] !== '"') {
      const value = file
        .slice(start + 1, quote)
        .replaceAll('""', '"')
        .replaceAll('\r\n', '\n')
      return { value, span: { start, end: quote + 1 }, isClosed: true }
    }
    end = quote + 2
  }
}

/** Writes a field; it is quoted where it was, or where it must be. */
export function encodeCsvField(text: string, written: string, lineEnd: string): string {
  const needsQuotes = written.startsWith('"') || /[",;\t|\r\n]|^\s|\s$/.test(text)
  const lines = text.replaceAll(/\r?\n/g, lineEnd)
  return needsQuotes ? `"${lines.replaceAll('"', '""')}"` : lines
}
