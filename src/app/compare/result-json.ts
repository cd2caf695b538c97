import { z } from 'zod'
import type { ResultSet, Value } from '../../engine/contract/engine.js'
import { AutotestError } from '../../errors.js'

const shape = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.array(z.unknown())),
  // As query services answer: a result that failed, was truncated or is one page of several is incomplete.
  error: z.string().nullish(),
  next: z.string().nullish(),
  truncated: z.boolean().nullish(),
})

/**
 * Parses a result `{columns, rows}`; `where` names it in errors. Throws `usage` with the position of the
 * error.
 */
export function parseResult(json: unknown, where: string): ResultSet {
  const read = shape.safeParse(json)
  if (!read.success) {
    const issue = read.error.issues[0]
    throw resultError(`${[where, ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'cannot be read'}`)
  }
  const { columns, rows, error, next, truncated } = read.data
  if (error) throw resultError(`${where}.error: ${error.slice(0, 200)}`)
  return {
    columns: columns.map((name) => ({ name, type: '' })),
    rows: rows.map((row, index) => {
      if (row.length !== columns.length)
        throw resultError(
          `${where}.rows[${index}] has ${row.length} cells, but there are ${columns.length} columns`,
        )
      return row.map((cell, at) => parseValue(cell, `${where}.rows[${index}][${at}]`))
    }),
    cut: next || truncated ? 'rows' : null,
  }
}

const longNumber = z.strictObject({ $bigint: z.string().optional(), $decimal: z.string().optional() })
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$|^NaN$|^[+-]?Infinity$/
const datePattern = /^\d{4}-\d{2}-\d{2}$/
const timestampPattern = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?$/

const typed: Readonly<Record<string, (text: string) => Value | undefined>> = {
  $bigint: (text) => (/^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined),
  $decimal: (text) => (decimal.test(text) ? { kind: 'decimal', text } : undefined),
  $date: (text) => {
    if (datePattern.test(text)) return { kind: 'date', text }
    return timestampPattern.test(text) ? { kind: 'timestamp', text } : undefined
  },
}

function parseValue(cell: unknown, where: string): Value {
  if (cell === Number.POSITIVE_INFINITY || cell === Number.NEGATIVE_INFINITY)
    throw resultError(`${where}: a number too large for JSON: write it as {"$decimal"}`)
  if (cell === null || typeof cell === 'string' || typeof cell === 'number' || typeof cell === 'boolean')
    return cell
  const [entry, ...others] = Object.entries(Object(cell))
  const read = entry === undefined || others.length > 0 ? undefined : typed[entry[0]]
  if (entry === undefined || read === undefined)
    throw resultError(
      `${where}: a cell is null, true, false, a number, a text, {"$date"}, {"$decimal"} or {"$bigint"}`,
    )
  const [name, content] = entry
  const text = textOf(content)
  const value = text === undefined ? undefined : read(text)
  if (value === undefined)
    throw resultError(`${where}: ${JSON.stringify(content)?.slice(0, 60)} is not a ${name}`)
  return value
}

/** Returns the content of a typed cell: a text, or a number, which is a cell itself beyond 2^53. */
function textOf(content: unknown): string | undefined {
  if (typeof content === 'string' || typeof content === 'number') return String(content)
  const long = longNumber.safeParse(content)
  return long.success ? (long.data.$bigint ?? long.data.$decimal) : undefined
}

/** Returns the cell in the form that `readValue` reads. */
export function encodeValue(value: Value): unknown {
  if (typeof value === 'bigint') return { $bigint: String(value) }
  if (typeof value === 'number' && !Number.isFinite(value)) return { $decimal: String(value) }
  if (typeof value !== 'object' || value === null) return value
  if (value.kind === 'decimal') return { $decimal: value.text }
  return value.kind === 'other' ? value.text : { $date: value.text }
}

function resultError(message: string): AutotestError {
  return new AutotestError('usage', message)
}
