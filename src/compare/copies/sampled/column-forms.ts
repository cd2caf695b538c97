import type { CatalogueColumn } from '../../../engine/contract/engine.js'
import type { ValueForm } from '../../../engine/fuzz/forms/value-form.js'
import type { Dialect } from '../../../enums/dialect.js'

/** A type as the catalogue writes it. */
export interface TypeText {
  readonly name: string
  readonly args: readonly number[]
  readonly whole: string
  readonly isUnsigned: boolean
}

/** Bits of whole numbers. */
export const bitsOf: Readonly<Record<string, number>> = {
  tinyint: 8,
  smallint: 16,
  int2: 16,
  mediumint: 24,
  int: 32,
  integer: 32,
  int4: 32,
  bigint: 64,
  int8: 64,
  int64: 64,
  year: 16,
}
export const decimals = /^(?:decimal|numeric|number|bignumeric|dec)$/
export const doubles = /^(?:double precision|double|float|float8|float64)$/
export const singles = /^(?:float4|real)$/
export const texts =
  /^(?:character varying|varchar|character|char|bpchar|text|string|name|citext|tinytext|mediumtext|longtext|"char")$/
export const moments = /^(?:timestamp|datetime)/
const held: ValueForm = { kind: 'held' }

export function parseType(text: string): TypeText {
  const whole = text.toLowerCase().trim()
  const name = whole
    .replace(/\(.*?\)/u, '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
  const args = /\(([\d\s,]+)\)/u.exec(whole)?.[1]?.split(',').map(Number) ?? []
  return {
    name: name.replace(/ (?:unsigned|zerofill|signed)\b/gu, ''),
    args,
    whole,
    isUnsigned: / unsigned\b/u.test(whole),
  }
}

/** Returns what a column holds by its declaration; `held` where copies write nothing of their own. */
export function formOf(
  { type, base, labels, collation }: Pick<CatalogueColumn, 'type' | 'base' | 'labels' | 'collation'>,
  dialect: Dialect,
): ValueForm {
  if (labels !== undefined) return { kind: 'label', labels }
  const written = (base ?? type).trim()
  const nested = nestedForm(written, dialect)
  if (nested !== undefined) return nested
  const { name, args, whole, isUnsigned } = parseType(written)
  const number = numberForm(name, args, isUnsigned, dialect)
  if (number !== undefined) return number
  if (/^(?:boolean|bool)$/u.test(name)) return { kind: 'boolean' }
  if (texts.test(name)) {
    const ignoresCase = name === 'citext' || (collation !== undefined && /_ci$|_ai$/iu.test(collation))
    return {
      kind: 'text',
      ...(args[0] === undefined ? {} : { most: args[0] }),
      ...(ignoresCase ? { ignoresCase: true as const } : {}),
    }
  }
  if (name === 'date') return { kind: 'date' }
  if (moments.test(name)) return { kind: 'timestamp', digits: args[0] ?? defaultDigits(dialect) }
  if (/^time\b/u.test(name)) return { kind: 'time', digits: args[0] ?? defaultDigits(dialect) }
  if (name === 'interval' && dialect === 'postgres') return { kind: 'interval' }
  if (name === 'uuid') return { kind: 'uuid' }
  if (name === 'money') return { kind: 'decimal', digits: 15, scale: 2 }
  if (name === 'inet' || name === 'ipaddress') return { kind: 'inet' }
  if (/^jsonb?$/u.test(whole)) return { kind: 'json' }
  if (name === 'bytea') return { kind: 'bytes', written: 'hex with \\x' }
  if (name === 'varbinary' && (dialect === 'trino' || dialect === 'presto'))
    return { kind: 'bytes', written: 'base64' }
  if (dialect === 'mysql' && /^(?:varbinary|(?:tiny|medium|long)?blob)$/u.test(name))
    return { kind: 'bytes', written: 'hex' }
  if (/^(?:ts(?:tz)?|num|date|int[48])range$/u.test(name)) return { kind: 'range' }
  return held
}

/** Digits of a second where the type names none: MySQL has none then, others have at least three. */
function defaultDigits(dialect: Dialect): number {
  if (dialect === 'mysql') return 0
  return dialect === 'trino' || dialect === 'presto' ? 3 : 6
}

function numberForm(
  name: string,
  args: readonly number[],
  isUnsigned: boolean,
  dialect: Dialect,
): ValueForm | undefined {
  const bits = bitsOf[name]
  if (name === 'year') return { kind: 'integer', least: '1901', most: '2155' }
  if (bits !== undefined) {
    const [least, most] = isUnsigned
      ? [0n, 2n ** BigInt(bits) - 1n]
      : [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]
    return { kind: 'integer', least: String(least), most: String(most) }
  }
  if (doubles.test(name) || singles.test(name)) return { kind: 'double' }
  if (!decimals.test(name)) return undefined
  // PostgreSQL's numeric without arguments has any number of decimals.
  const [precision = 38, scale = dialect === 'postgres' ? 6 : 0] = args
  return { kind: 'decimal', digits: precision - scale, scale }
}

/** Returns the form of a type that consists of others; undefined for other types. */
function nestedForm(type: string, dialect: Dialect): ValueForm | undefined {
  if (dialect === 'postgres') {
    if (!type.endsWith('[]')) return undefined
    const of = formOf({ type: type.slice(0, -2) }, dialect)
    return { kind: 'array', written: 'braces', of }
  }
  const [, outer, inner] = /^(array|map|row)\((.*)\)$/isu.exec(type) ?? []
  if (outer === undefined || inner === undefined) return undefined
  const parts = splitArguments(inner)
  if (outer.toLowerCase() === 'array')
    return { kind: 'array', written: 'json', of: formOf({ type: inner }, dialect) }
  if (outer.toLowerCase() === 'map') return { kind: 'map', of: formOf({ type: parts[1] ?? '' }, dialect) }
  const fields = parts.map((part) => /^(?:"(?:[^"]|"")*"|\S+)\s+(.*)$/su.exec(part)?.[1] ?? part)
  return { kind: 'row', fields: fields.map((field) => formOf({ type: field }, dialect)) }
}

/** Splits a text at commas outside parentheses. */
function splitArguments(text: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let part = ''
  for (const letter of text) {
    if (letter === '(') depth++
    if (letter === ')') depth--
    if (letter === ',' && depth === 0) {
      parts.push(part.trim())
      part = ''
    } else part += letter
  }
  return [...parts, part.trim()]
}

/** Returns the labels of an ENUM or SET of MySQL. */
export function labelsIn(type: string): readonly string[] {
  return [...type.matchAll(/'((?:[^']|'')*)'/gu)].map(([, label = '']) => label.replaceAll("''", "'"))
}
