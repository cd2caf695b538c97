import type { Dialect } from '../../enums/dialect.js'

/** Types that a dialect has under several names. */
const synonyms: readonly (readonly [RegExp, string])[] = [
  [/^(?:text|varchar|string|character varying|nvarchar|clob)$/u, 'text'],
  [/^(?:integer|int|int4|mediumint)$/u, 'int'],
  [/^(?:int64|int8|long|bigint)$/u, 'bigint'],
  [/^(?:double|double precision|float8|float64|doubleprecision)$/u, 'double'],
  [/^(?:bool|boolean)$/u, 'boolean'],
  [/^(?:numeric|decimal)\b/u, 'decimal'],
]

/** Types that differ in range or precision only; for queries in two dialects, which rarely have the same ones. */
const crossDialectSynonyms: readonly (readonly [RegExp, string])[] = [
  [/^(?:int|bigint|signed|unsigned|smallint|tinyint|custom.*signed.*)$/u, 'int'],
  [/^(?:float\b.*|real|double)$/u, 'double'],
  [/^(?:datetime|timestamp|timestamp_ntz|timestampntz)$/u, 'timestamp'],
  [/^(?:timestamp\(true\)|timestamptz|timestamp_tz)$/u, 'timestamptz'],
  [/^(?:time\(true\)|timetz)$/u, 'timetz'],
  [/^(?:char|text)$/u, 'text'],
]

/** Dialects in which the length of a text type is no limit. */
const ignoresTextLength: ReadonlySet<Dialect> = new Set(['sqlite', 'duckdb'])

/** Dialects in which CHAR without a length is one letter. */
const charIsSingleLetter: ReadonlySet<Dialect> = new Set([
  'ansi',
  'postgres',
  'redshift',
  'trino',
  'presto',
  'snowflake',
])

/** The common name of a data type. */
export function commonTypeName(type: string, dialect: Dialect, across: boolean): string {
  const plain = type
    .replaceAll('"var_char"', '"text"')
    .replaceAll(/,?"(?:length|integer_spelling)":(?:null|true)/gu, '')
  const own = ignoresTextLength.has(dialect) ? plain.replace(/^(?:n?var_?)?char\(\d+\)$/u, 'text') : plain
  const sized = own === 'char' && charIsSingleLetter.has(dialect) ? 'char(1)' : own
  const first = renamed(sized, synonyms)
  if (dialect === 'sqlite' && /real|floa|doub/u.test(first)) return 'double'
  return across
    ? renamed(withUsualPrecision(withDecimalScale(first, dialect), dialect), crossDialectSynonyms)
    : first
}

/** Places of a second that a time has where no other number of them is written; six in the other dialects. */
const defaultTimePrecision: Partial<Record<Dialect, string>> = {
  mysql: '0',
  trino: '3',
  presto: '3',
  sqlite: '3',
  snowflake: '9',
}

/** A time without the number of its places where that is what the dialect takes anyway, or all that most databases have. */
function withUsualPrecision(type: string, dialect: Dialect): string {
  return type.replace(
    /^((?:date)?time(?:stamp)?)\((\d+)(?:, (true))?\)$/u,
    (all: string, name: string, places: string, zone: string | undefined) => {
      const isUsual = places === (defaultTimePrecision[dialect] ?? '6') || Number(places) >= 6
      return isUsual ? name + (zone === undefined ? '' : '(true)') : all
    },
  )
}

/** Places of a decimal without a size; the others keep all that a number has. */
const defaultDecimalScale: Partial<Record<Dialect, string>> = {
  mysql: '0',
  trino: '0',
  presto: '0',
  spark: '0',
  snowflake: '0',
  redshift: '0',
  duckdb: '3',
  bigquery: '9',
}

/** Decimals differ in range otherwise, and a cast rounds to their places. */
function withDecimalScale(type: string, dialect: Dialect): string {
  const sized = /^decimal(?:\((\d+)(?:, ?(\d+))?\))?$/u.exec(type)
  if (sized === null || (sized[1] !== undefined && dialect === 'sqlite')) return type
  const places = sized[2] ?? (sized[1] === undefined ? defaultDecimalScale[dialect] : '0')
  return places === undefined ? type : `decimal with ${places} places`
}

function renamed(type: string, table: readonly (readonly [RegExp, string])[]): string {
  for (const [pattern, name] of table) if (pattern.test(type)) return type.replace(pattern, name)
  return type
}
