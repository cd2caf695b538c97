import type { Dialect } from '../../enums/dialect.js'
import type { AstIdentifier } from './ast.js'

/** Dialects in which "Foo" and foo are the same name. */
const ignoresQuotedCase: ReadonlySet<Dialect> = new Set([
  'sqlite',
  'duckdb',
  'trino',
  'presto',
  'mysql',
  'spark',
  'redshift',
])

/**
 * One spelling for all spellings of a name: lower case and bare; in quotes where the dialect tells it from
 * the bare name, or where it is no plain word.
 */
export function foldName(identifier: AstIdentifier, dialect: Dialect): string {
  const { name, quoted } = identifier
  if (!quoted || ignoresQuotedCase.has(dialect)) return quoteUnlessPlain(lowerCase(name))
  const unquotedSpelling = dialect === 'snowflake' ? upperCase(name) : lowerCase(name)
  return name === unquotedSpelling ? quoteUnlessPlain(lowerCase(name)) : inQuotes(name)
}

/** As `foldName`, for columns: BigQuery ignores the case of columns, quoted or not. */
export function foldColumn(identifier: AstIdentifier, dialect: Dialect): string {
  return dialect === 'bigquery' ? quoteUnlessPlain(lowerCase(identifier.name)) : foldName(identifier, dialect)
}

/** The full name of a table; BigQuery writes `project.dataset.table` as one quoted identifier. */
export function foldTable(parts: readonly AstIdentifier[], dialect: Dialect): string {
  const split = dialect === 'bigquery' ? parts.flatMap(splitAtDots) : parts
  return split.map((part) => foldName(part, dialect)).join('.')
}

/** A folded name, with parts between dots or of a single one, as a database spells it that ignores case and quotes. */
export function foldQuotedCase(name: string): string {
  if (!name.includes('"')) return name
  return name.replace(/"((?:[^"]|"")*)"/gu, (_, quoted: string) =>
    quoteUnlessPlain(lowerCase(quoted.replaceAll('""', '"'))),
  )
}

function splitAtDots(identifier: AstIdentifier): AstIdentifier[] {
  return identifier.name.split('.').map((name) => ({ name, quoted: identifier.quoted }))
}

function quoteUnlessPlain(name: string): string {
  return /^[a-z_][a-z0-9_$]*$/u.test(name) ? name : inQuotes(name)
}

function inQuotes(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Only ASCII letters: databases do not agree about the others. */
function lowerCase(name: string): string {
  if (!/[A-Z]/u.test(name)) return name
  return /^[ -~]*$/u.test(name) ? name.toLowerCase() : lowerAscii(name)
}

function lowerAscii(name: string): string {
  return name.replace(/[A-Z]+/gu, (letters) => letters.toLowerCase())
}

function upperCase(name: string): string {
  return name.replace(/[a-z]+/gu, (letters) => letters.toUpperCase())
}
