import type { CatalogueColumn } from '../../../engine/contract/engine.js'
import { acceptsText, type ValueForm } from '../../../engine/fuzz/forms/value-form.js'
import type { Dialect } from '../../../enums/dialect.js'
import {
  bitsOf,
  decimals,
  doubles,
  formOf,
  labelsIn,
  moments,
  parseType,
  singles,
  type TypeText,
  texts,
} from './column-forms.js'

/** How texts become cells of a column. */
export interface ColumnType {
  /** Returns SQL for a cell, given SQL of its text. */
  readonly cast: (text: string) => string
  /** What copies write besides the values of the sample. */
  readonly form: ValueForm
  /** Reports whether the column can hold what a text says; undefined: only what the sample holds. */
  readonly accepts: ((text: string) => boolean) | undefined
  /**
   * No text can be cast to it without becoming another type: its cells are taken from rows of the table that have them, by the
   * key of the table. MySQL compares an ENUM by position with numbers, and in an order.
   */
  readonly isBorrowed?: true
}

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
  // A domain is its base type, whose CHECKs are those of the table.
  const type = parseType(column.base ?? column.type)
  const form = formOf(column, dialect)
  if (dialect === 'mysql') return mysqlType(type, column, form, sample)
  const cast = dialect === 'postgres' ? castTo(column.base ?? column.type) : castOf(type, dialect, sample)
  if (cast === undefined) return undefined
  const collate = column.collation === undefined ? '' : ` COLLATE ${column.collation}`
  return { cast: (text) => `${cast(text)}${collate}`, form, accepts: accepting(form) }
}

function accepting(form: ValueForm): ColumnType['accepts'] {
  return form.kind === 'held' ? undefined : (text) => acceptsText(form, text) === true
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
  column: CatalogueColumn,
  form: ValueForm,
  sample: readonly string[],
): ColumnType | undefined {
  const { collation, characterSet = 'utf8mb4' } = column
  const asText: Cast = (text) =>
    collation === undefined ? text : `CONVERT(${text} USING ${characterSet}) COLLATE ${collation}`
  const typed = (cast: Cast): ColumnType => ({ cast, form, accepts: accepting(form) })
  if (bitsOf[name] !== undefined)
    return typed((text) => `CAST(${text} AS ${isUnsigned ? 'UNSIGNED' : 'SIGNED'})`)
  if (decimals.test(name)) return typed((text) => `CAST(${text} AS DECIMAL(${args.join(', ')}))`)
  // FLOAT is what others call REAL: 0.1 is not 0.1 there.
  if (singles.test(name) || name === 'float') return typed((text) => `CAST(${text} AS FLOAT)`)
  if (doubles.test(name)) return typed((text) => `(${text} + 0e0)`)
  if (name === 'date') return typed((text) => `CAST(${text} AS DATE)`)
  if (moments.test(name) || name === 'time') {
    const digits = args[0] === undefined ? '' : `(${args[0]})`
    return typed((text) => `CAST(${text} AS ${name === 'time' ? 'TIME' : 'DATETIME'}${digits})`)
  }
  if (texts.test(name)) return typed(asText)
  // A column of JSON is a text in MariaDB.
  if (name === 'json') return typed((text) => `CAST(${text} AS JSON)`)
  if (/^(?:enum|set)\b/u.test(whole)) {
    const labels = [...new Set(sample)]
    // Labels that no row has cannot be borrowed from one.
    const isWhole = whole.startsWith('enum') && labelsIn(column.type).every((label) => labels.includes(label))
    const own: ValueForm = isWhole ? { kind: 'label', labels } : { kind: 'held' }
    return { cast: asText, form: own, accepts: (text) => labels.includes(text), isBorrowed: true }
  }
  if (/^(?:varbinary|(?:tiny|medium|long)?blob)$/u.test(name)) return typed((text) => `UNHEX(${text})`)
  if (name === 'binary')
    return { cast: (text) => `UNHEX(${text})`, form: { kind: 'held' }, accepts: undefined }
  return undefined
}
