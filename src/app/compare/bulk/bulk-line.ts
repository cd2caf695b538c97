import { z } from 'zod'
import type { ResultSet } from '../../../engine/contract/engine.js'
import type { Dialect } from '../../../enums/dialect.js'
import { AutotestError, messageOf } from '../../../errors.js'
import { nearest } from '../../../text/nearest-word.js'
import { parseDialect } from '../parse-dialect.js'
import { parseResult } from '../result-json.js'

export type LineId = string | number | null

/** The input of one line: two queries, two results, or both. */
export interface BulkLine {
  readonly id: LineId | undefined
  readonly expected: string | undefined
  readonly generated: string | undefined
  /** Undefined: that of the engine or of the flag. */
  readonly expectedDialect: Dialect | undefined
  readonly generatedDialect: Dialect | undefined
  readonly results: { readonly expected: ResultSet; readonly generated: ResultSet } | undefined
  readonly schema: string | undefined
  readonly engine: string | undefined
}

export type ParsedBulkLine =
  | { readonly kind: 'line'; readonly line: BulkLine }
  | { readonly kind: 'wrong'; readonly id: LineId | undefined; readonly error: string }

const text = z.string().nullish()
const lineSchema = z.object({
  // An integer beyond 2^53 was parsed to a `$bigint`.
  id: z
    .union(
      [z.string(), z.number(), z.object({ $bigint: z.string() }).transform((id) => id.$bigint)],
      'must be a text or a number',
    )
    .nullish(),
  expected: text,
  generated: text,
  dialect: text,
  expected_dialect: text,
  generated_dialect: text,
  schema: text,
  engine: text,
  expected_result: z.unknown().optional(),
  generated_result: z.unknown().optional(),
})
const keys = Object.keys(lineSchema.shape)

/** Parses a line of the bulk form; errors are returned, not thrown. */
export function parseBulkLine(source: string): ParsedBulkLine {
  let id: LineId | undefined
  try {
    const json = parseJson(source)
    if (typeof json !== 'object' || json === null || Array.isArray(json)) throw lineError('not a JSON object')
    id = idOf(json)
    return { kind: 'line', line: lineOf(json) }
  } catch (error) {
    if (!(error instanceof AutotestError)) throw error
    const hint = error.hint === undefined ? '' : ` (${error.hint})`
    return { kind: 'wrong', id, error: error.message + hint }
  }
}

function lineOf(json: object): BulkLine {
  const read = lineSchema.safeParse(json)
  if (!read.success) {
    const issue = read.error.issues[0]
    throw lineError(`"${issue?.path.join('.')}": ${issue?.message ?? 'cannot be read'}`)
  }
  const { data } = read
  const given = new Set(Object.entries(data).flatMap(([key, value]) => (value == null ? [] : [key])))
  if (given.has('expected_result') || given.has('generated_result'))
    requireKeys(['expected_result', 'generated_result'], given, json)
  else requireKeys(['expected', 'generated'], given, json)
  for (const key of Object.keys(json)) {
    const meant = keys.includes(key) ? undefined : nearest(key, keys)
    // Other keys are allowed; a misspelt known key would be ignored silently.
    if (meant !== undefined) throw lineError(`unknown key "${key}", did you mean "${meant}"?`)
  }
  const dialectOf = (key: 'expected_dialect' | 'generated_dialect'): Dialect | undefined => {
    const name = data[key] ?? data.dialect
    return name == null ? undefined : parseDialect(name, data[key] == null ? 'dialect' : key)
  }
  return {
    id: data.id,
    expected: data.expected ?? undefined,
    generated: data.generated ?? undefined,
    expectedDialect: dialectOf('expected_dialect'),
    generatedDialect: dialectOf('generated_dialect'),
    results: given.has('expected_result')
      ? {
          expected: parseResult(data.expected_result, 'expected_result'),
          generated: parseResult(data.generated_result, 'generated_result'),
        }
      : undefined,
    schema: data.schema ?? undefined,
    engine: data.engine ?? undefined,
  }
}

function requireKeys(wanted: readonly string[], given: ReadonlySet<string>, json: object): void {
  const missing = wanted.find((key) => !given.has(key))
  if (missing === undefined) return
  const near = nearest(
    missing,
    Object.keys(json).filter((key) => !keys.includes(key)),
  )
  if (near !== undefined) throw lineError(`unknown key "${near}", did you mean "${missing}"?`)
  throw lineError(`"${missing}" is missing: a line needs "expected" and "generated", or both results`)
}

function idOf(json: object): LineId | undefined {
  const id = 'id' in json ? json.id : undefined
  return typeof id === 'string' || typeof id === 'number' || id === null ? id : undefined
}

const longInteger = /[[,:\s]-?\d{16,}/
const longNumber = /^-?\d{16,}(?:\.\d+)?$/
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/**
 * Parses JSON without losing a digit: integers beyond the safe range of JavaScript become `$bigint` cells,
 * those with a decimal point `$decimal`.
 */
function parseJson(source: string): unknown {
  try {
    if (!longInteger.test(source)) return JSON.parse(source)
    const exact = source.replace(stringOrNumber, (token) => {
      if (!longNumber.test(token) || Number.isSafeInteger(Number(token))) return token
      return token.includes('.') ? `{"$decimal":"${token}"}` : `{"$bigint":"${token}"}`
    })
    return JSON.parse(exact)
  } catch (error) {
    const hint = /(?<!["\w])-?(?:NaN|Infinity)\b/.test(source.slice(0, 10_000))
      ? ' (JSON has no NaN and no Infinity: write {"$decimal": "NaN"})'
      : ''
    throw lineError(`not JSON: ${messageOf(error).slice(0, 200)}${hint}`)
  }
}

function lineError(message: string): AutotestError {
  return new AutotestError('usage', message)
}
