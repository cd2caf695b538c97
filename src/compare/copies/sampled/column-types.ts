import type { CatalogueColumn } from '../../../engine/contract/engine.js'
import type { Dialect } from '../../../enums/dialect.js'

/** How texts become cells of a column. */
export interface ColumnType {
  /** Returns SQL for a cell, given SQL of its text. */
  readonly cast: (text: string) => string
  /** Reports whether the column can hold what a text says; undefined: only what the sample holds. */
  readonly accepts: ((text: string) => boolean) | undefined
  /** Its order is not that of its texts: MySQL orders an ENUM by position. */
  readonly hasOwnOrder?: true
}

interface TypeText {
  readonly name: string
  readonly args: readonly number[]
  readonly whole: string
  readonly isUnsigned: boolean
}

/** Bits of whole numbers. */
const bitsOf: Readonly<Record<string, number>> = {
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
const decimals = /^(?:decimal|numeric|number|bignumeric|dec)$/
const floats = /^(?:double precision|double|float|float4|float8|float64|real)$/
const booleans = /^(?:boolean|bool)$/
const texts =
  /^(?:character varying|varchar|character|char|bpchar|text|string|name|citext|tinytext|mediumtext|longtext|"char")$/
const moments = /^(?:timestamp|datetime)/

/**
 * Returns how a column's type is read, by its name in the engine's catalogue; undefined where no text can be cast to it, so
 * that a copy cannot hold the column.
 *
 * @param sample texts that the column holds
 */
export function columnType(
  column: CatalogueColumn,
  dialect: Dialect,
  sample: readonly string[],
): ColumnType | undefined {
  const type = parseType(column.type)
  const accepts = acceptsOf(type)
  if (dialect === 'mysql') return mysqlType(type, column, accepts)
  const cast = dialect === 'postgres' ? castTo(column.type) : castOf(type, dialect, sample)
  if (cast === undefined) return undefined
  const collate = column.collation === undefined ? '' : ` COLLATE ${column.collation}`
  return { cast: (text) => `${cast(text)}${collate}`, accepts }
}

function parseType(text: string): TypeText {
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

function acceptsOf({ name, args, whole, isUnsigned }: TypeText): ((text: string) => boolean) | undefined {
  const bits = bitsOf[name]
  if (bits !== undefined) {
    const [least, most] = isUnsigned
      ? [0n, 2n ** BigInt(bits) - 1n]
      : [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]
    return (text) => /^-?\d{1,20}$/u.test(text) && BigInt(text) >= least && BigInt(text) <= most
  }
  if (decimals.test(name)) {
    const [precision = 38, scale = 0] = args
    return (text) => isNumber(text) && Math.abs(Number(text)) < 10 ** (precision - scale)
  }
  if (floats.test(name)) return (text) => isNumber(text) || /^-?(?:Infinity|NaN)$/u.test(text)
  if (booleans.test(name)) return (text) => text === '0' || text === '1'
  if (texts.test(name)) {
    const most = args[0] ?? Number.POSITIVE_INFINITY
    return (text) => text.length <= most && !text.includes('\0')
  }
  if (name === 'date') return isDay
  if (moments.test(name))
    return (text) => /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?$/u.test(text) && isDay(text.slice(0, 10))
  if (name === 'uuid') return (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(text)
  if (/^jsonb?$/u.test(whole)) return isJsonText
  return undefined
}

function isNumber(text: string): boolean {
  return /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/iu.test(text)
}

function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/u.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) && !text.startsWith('0000')
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

type Cast = (text: string) => string

/** Every type of PostgreSQL reads its own texts. */
function castTo(type: string): Cast {
  return (text) => `CAST(${text} AS ${type})`
}

function castOf(type: TypeText, dialect: Dialect, sample: readonly string[]): Cast | undefined {
  const { name, whole, args } = type
  switch (dialect) {
    case 'trino':
    case 'presto':
      if (/^(?:array|map|row)\b/u.test(whole)) return (text) => `CAST(json_parse(${text}) AS ${whole})`
      if (name === 'json') return (text) => `json_parse(${text})`
      if (name === 'varbinary') return (text) => `from_base64(${text})`
      return /^(?:interval|hyperloglog|qdigest|tdigest|function|color)\b/u.test(whole)
        ? undefined
        : castTo(whole)
    case 'snowflake':
    case 'spark':
      // Their catalogues leave out how many decimals there are.
      if (decimals.test(name) && args.length === 0) return castTo(`decimal(38, ${decimalsIn(sample)})`)
      if (dialect === 'snowflake' && /^(?:variant|object|array)$/u.test(whole))
        return (text) => `PARSE_JSON(${text})${whole === 'variant' ? '' : `::${whole}`}`
      return /^(?:binary|geography|geometry|vector|array|map|struct|variant|void|interval)/u.test(whole)
        ? undefined
        : castTo(whole)
    case 'bigquery':
      if (whole === 'json') return (text) => `PARSE_JSON(${text})`
      return /^(?:bytes|geography|array|struct|range|interval)/u.test(whole) ? undefined : castTo(whole)
    default:
      return undefined
  }
}

/** Returns the greatest number of decimals, at most 12. */
function decimalsIn(sample: readonly string[]): number {
  return Math.min(12, Math.max(0, ...sample.map((text) => text.split('.')[1]?.length ?? 0)))
}

/** CAST of MySQL knows few types; others are those of an expression. */
function mysqlType(
  { name, args, whole, isUnsigned }: TypeText,
  { collation, characterSet = 'utf8mb4' }: CatalogueColumn,
  accepts: ((text: string) => boolean) | undefined,
): ColumnType | undefined {
  const asText: Cast = (text) =>
    collation === undefined ? text : `CONVERT(${text} USING ${characterSet}) COLLATE ${collation}`
  if (bitsOf[name] !== undefined)
    return { cast: (text) => `CAST(${text} AS ${isUnsigned ? 'UNSIGNED' : 'SIGNED'})`, accepts }
  if (decimals.test(name)) return { cast: (text) => `CAST(${text} AS DECIMAL(${args.join(', ')}))`, accepts }
  if (floats.test(name)) return { cast: (text) => `(${text} + 0e0)`, accepts: (text) => isNumber(text) }
  if (name === 'date') return { cast: (text) => `CAST(${text} AS DATE)`, accepts }
  if (moments.test(name) || name === 'time') {
    const digits = args[0] === undefined ? '' : `(${args[0]})`
    return { cast: (text) => `CAST(${text} AS ${name === 'time' ? 'TIME' : 'DATETIME'}${digits})`, accepts }
  }
  if (texts.test(name)) return { cast: asText, accepts }
  // A column of JSON is a text in MariaDB.
  if (name === 'json') return { cast: (text) => `CAST(${text} AS JSON)`, accepts }
  if (/^enum\b/u.test(whole)) return { cast: asText, accepts: undefined, hasOwnOrder: true }
  if (/^(?:binary|varbinary|(?:tiny|medium|long)?blob)$/u.test(name))
    return { cast: (text) => `UNHEX(${text})`, accepts: undefined }
  return undefined
}
