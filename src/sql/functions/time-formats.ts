import { apply, type Expression, word } from '../shape/query-shape.js'
import { mapAll } from '../shape/rewrite-query.js'
import { textLiteralValue } from './function-table.js'

type Call = Expression & { kind: 'apply' }

/** A notation for date formats: what each of its letters is in the codes of C's strftime, longest first. */
type Notation = readonly (readonly [string, string])[]

/** Where a code is not listed here, the format stays what its dialect says. */
const strftimeCodes: Notation = [
  ['%%', '%%'],
  ['%-d', '%-d'],
  ['%-m', '%-m'],
  ['%-H', '%-H'],
  ['%-I', '%-I'],
  ['%F', '%Y-%m-%d'],
  ['%T', '%H:%M:%S'],
  ['%R', '%H:%M'],
  ...['Y', 'y', 'm', 'd', 'H', 'I', 'M', 'S', 'p', 'j', 'B', 'b', 'A', 'a', 'w', 'u', 'V', 'G', 's'].map(
    (code): readonly [string, string] => [`%${code}`, `%${code}`],
  ),
]

const notations = {
  /** C's letters, as in SQLite, DuckDB and BigQuery. */
  strftime: strftimeCodes,
  /** MySQL and Trino. */
  mysql: [
    ['%%', '%%'],
    ['%T', '%H:%M:%S'],
    ['%i', '%M'],
    ['%s', '%S'],
    ['%S', '%S'],
    ['%c', '%-m'],
    ['%e', '%-d'],
    ['%k', '%-H'],
    ['%l', '%-I'],
    ['%h', '%I'],
    ['%M', '%B'],
    ['%W', '%A'],
    ['%v', '%V'],
    ['%x', '%G'],
    ...['Y', 'y', 'm', 'd', 'H', 'I', 'p', 'j', 'b', 'a', 'w'].map((code): readonly [string, string] => [
      `%${code}`,
      `%${code}`,
    ]),
  ],
  /** `to_char` of PostgreSQL and Redshift; names of days and months are padded with spaces except after FM. */
  toChar: [
    ['YYYY', '%Y'],
    ['YY', '%y'],
    ['IYYY', '%G'],
    ['FMMonth', '%B'],
    ['FMDay', '%A'],
    ['FMMon', '%b'],
    ['FMDy', '%a'],
    ['FMDD', '%-d'],
    ['FMMM', '%-m'],
    ['Mon', '%b'],
    ['Dy', '%a'],
    ['MM', '%m'],
    ['DDD', '%j'],
    ['DD', '%d'],
    ['HH24', '%H'],
    ['HH12', '%I'],
    ['HH', '%I'],
    ['MI', '%M'],
    ['SS', '%S'],
    ['AM', '%p'],
    ['PM', '%p'],
    ['IW', '%V'],
    ['ID', '%u'],
  ],
  snowflake: [
    ['YYYY', '%Y'],
    ['YY', '%y'],
    ['MMMM', '%B'],
    ['MON', '%b'],
    ['MM', '%m'],
    ['DD', '%d'],
    ['DY', '%a'],
    ['HH24', '%H'],
    ['HH12', '%I'],
    ['MI', '%M'],
    ['SS', '%S'],
    ['AM', '%p'],
    ['PM', '%p'],
  ],
  /** Java's letters, as in Spark, and in Trino's `format_datetime`. */
  java: [
    ['yyyy', '%Y'],
    ['MMMM', '%B'],
    ['MMM', '%b'],
    ['MM', '%m'],
    ['dd', '%d'],
    ['HH', '%H'],
    ['hh', '%I'],
    ['mm', '%M'],
    ['ss', '%S'],
    ['EEEE', '%A'],
    ['DDD', '%j'],
    ['yy', '%y'],
    ['a', '%p'],
    ['M', '%-m'],
    ['d', '%-d'],
    ['H', '%-H'],
    ['h', '%-I'],
  ],
} as const satisfies Record<string, Notation>

export type NotationName = keyof typeof notations

/** The format in C's codes; undefined where it says something that these cannot. */
function commonFormat(format: string, name: NotationName): string | undefined {
  const notation: Notation = notations[name]
  let common = ''
  for (let at = 0; at < format.length; ) {
    const rest = format.slice(at)
    // Quotes and backslashes escape differently by dialect.
    if (/^["'\\]/u.test(rest)) return undefined
    const [token, code] = notation.find(([start]) => rest.startsWith(start)) ?? []
    if (token === undefined && /^[a-z%]/iu.test(rest)) return undefined
    common += code ?? rest.slice(0, 1)
    at += token?.length ?? 1
  }
  return common
}

const timeCode = /%-?[HIMSps]/u

/** Value as a text in a format. */
export function formatTime(
  value: Expression | undefined,
  format: Expression | undefined,
  notation: NotationName,
): Expression | undefined {
  const common = commonFormat(textLiteralValue(format) ?? '\\', notation)
  if (value === undefined || common === undefined) return undefined
  return formatToDateTrunc(value, common) ?? apply('format_time', text(common), value)
}

/** A text of a format as a date, or as a moment. */
export function parseTime(
  value: Expression | undefined,
  format: Expression | undefined,
  notation: NotationName,
  type: 'date' | 'moment',
): Expression | undefined {
  const common = commonFormat(textLiteralValue(format) ?? '\\', notation)
  if (value === undefined || common === undefined) return undefined
  const call = apply('parse_time', value, text(common))
  return type === 'date' ? apply('cast', call, word('date')) : call
}

/** Whether texts of this format name no time of the day. */
export function isDateFormat(format: Expression | undefined, notation: NotationName): boolean {
  const common = commonFormat(textLiteralValue(format) ?? '\\', notation)
  return common !== undefined && !timeCode.test(common)
}

const truncatingFormats: ReadonlyMap<string, string> = new Map([
  ['%Y-%m-%d', 'day'],
  ['%Y-%m-01', 'month'],
  ['%Y-01-01', 'year'],
  ['%Y-%m-%d %H:00:00', 'hour'],
  ['%Y-%m-%d %H:%M:00', 'minute'],
])

/** A day is written as its ISO text, so that the first of a month in this format is the start of the month. */
function formatToDateTrunc(value: Expression, format: string): Expression | undefined {
  const unit = truncatingFormats.get(format)
  return unit === undefined ? undefined : apply('date_trunc', { ...text(unit), isFormat: true }, value)
}

const textConsumers: ReadonlySet<string> = new Set(['||', 'concat', 'concat_ws'])

/** A call that reads the text itself has it in its format: the start of a day, cast to a text, shows its midnight. */
export function keepFormattedText(call: Call): Call {
  const [, type] = call.args
  const isCast = call.op === 'cast' && type?.kind === 'literal' && /char|text|string/u.test(type.value)
  if (!isCast && !textConsumers.has(call.op)) return call
  const args = mapAll(call.args, (arg) => asText(arg) ?? arg)
  return args === call.args ? call : { ...call, args }
}

function asText(value: Expression): Expression | undefined {
  const [unit, moment] = value.kind === 'apply' && value.op === 'date_trunc' ? value.args : []
  if (unit?.kind !== 'literal' || unit.isFormat !== true || moment === undefined) return undefined
  const [format] = [...truncatingFormats].find(([, name]) => name === unit.value) ?? []
  return format === undefined ? undefined : apply('format_time', text(format), moment)
}

function text(value: string): Expression & { kind: 'literal' } {
  return { kind: 'literal', type: 'text', value }
}
