import type { Dialect } from '../enums/dialect.js'

/** What a quote begins, and how it ends. */
export interface Quoting {
  readonly kind: 'text' | 'name'
  /** The character that ends it. */
  readonly closing: string
  /** Two closing characters stand for one. */
  readonly doubles: boolean
  /** A backslash takes the next character with it. */
  readonly backslashes: boolean
}

/** What an engine's lexer reads as one piece. */
export interface Syntax {
  /** By the character that opens. */
  readonly quotes: Readonly<Record<string, Quoting>>
  /** `tagged`: `$$…$$` and `$tag$…$tag$`; `plain`: `$$…$$` only. */
  readonly dollarQuotes: 'none' | 'plain' | 'tagged'
  /** `E'…'`: a text with backslashes. */
  readonly escapeTexts: boolean
  /** `U&"…"`: a name whose letters are written by their numbers. */
  readonly unicodeNames: boolean
  /** `r'…'`: a text in which a backslash is one. */
  readonly rawTexts: boolean
  /** `'''…'''`: a text that may hold quotes. */
  readonly tripleQuotes: boolean
  readonly nestedComments: boolean
  /** What begins a comment that ends with its line. */
  readonly lineComments: readonly ('--' | '#' | '//')[]
  /** `--` begins a comment only before white space, a control character, or the end. */
  readonly dashesNeedSpace: boolean
  /** A carriage return ends a line, too. */
  readonly returnsEndLines: boolean
  /** A comment with an exclamation mark, `/*!`: one that the server may execute. */
  readonly executedComments: boolean
  /** `$name(…)`: a variable with whatever is between its parentheses (SQLite). */
  readonly variablesWithParentheses: boolean
  /** White space beyond ASCII separates words; elsewhere it is a letter. */
  readonly unicodeSpaces: boolean
  /** A text may stand where a name is expected: `FROM 'function'(1)`. */
  readonly textsAsNames: boolean
  /** Names without quotes are folded to lower case, and quoted ones are exact; elsewhere case means nothing. */
  readonly exactQuotedNames: boolean
}

const doubled = (kind: Quoting['kind'], closing: string): Quoting => ({
  kind,
  closing,
  doubles: true,
  backslashes: false,
})
const escaped = (kind: Quoting['kind'], closing: string): Quoting => ({
  kind,
  closing,
  doubles: true,
  backslashes: true,
})

const standard: Syntax = {
  quotes: { "'": doubled('text', "'"), '"': doubled('name', '"') },
  dollarQuotes: 'none',
  escapeTexts: false,
  unicodeNames: false,
  rawTexts: false,
  tripleQuotes: false,
  nestedComments: false,
  lineComments: ['--'],
  dashesNeedSpace: false,
  returnsEndLines: true,
  executedComments: false,
  variablesWithParentheses: false,
  unicodeSpaces: false,
  textsAsNames: false,
  exactQuotedNames: false,
}

/** scan.l of PostgreSQL. */
const postgres: Syntax = {
  ...standard,
  dollarQuotes: 'tagged',
  escapeTexts: true,
  unicodeNames: true,
  nestedComments: true,
  exactQuotedNames: true,
}

/** SqlBase.g4 of Trino, which Presto has, too. */
const trino: Syntax = {
  ...standard,
  quotes: { ...standard.quotes, '`': doubled('name', '`') },
}

const mysql: Syntax = {
  ...standard,
  quotes: { "'": escaped('text', "'"), '"': escaped('text', '"'), '`': doubled('name', '`') },
  lineComments: ['--', '#'],
  dashesNeedSpace: true,
  returnsEndLines: false,
  executedComments: true,
}

/** By dialect; `ansi` is for SQL of which nothing is known, and reads every quote that a dialect has. */
const syntaxes: Readonly<Record<Dialect, Syntax>> = {
  ansi: {
    ...standard,
    quotes: { ...standard.quotes, '`': doubled('name', '`') },
    dollarQuotes: 'tagged',
    returnsEndLines: false,
  },
  postgres,
  redshift: { ...postgres, quotes: { ...postgres.quotes, "'": escaped('text', "'") } },
  // tokenize.c of SQLite.
  sqlite: {
    ...standard,
    quotes: {
      ...standard.quotes,
      '`': doubled('name', '`'),
      '[': { kind: 'name', closing: ']', doubles: false, backslashes: false },
    },
    returnsEndLines: false,
    variablesWithParentheses: true,
    textsAsNames: true,
  },
  // Its scanner is PostgreSQL's, with white space of its own.
  duckdb: { ...postgres, unicodeSpaces: true, textsAsNames: true, exactQuotedNames: false },
  // sql_lex.cc of MySQL and MariaDB.
  mysql,
  trino,
  presto: trino,
  bigquery: {
    ...standard,
    quotes: { "'": escaped('text', "'"), '"': escaped('text', '"'), '`': escaped('name', '`') },
    lineComments: ['--', '#'],
    tripleQuotes: true,
  },
  snowflake: {
    ...standard,
    quotes: { "'": escaped('text', "'"), '"': doubled('name', '"') },
    dollarQuotes: 'plain',
    lineComments: ['--', '//'],
  },
  // SqlBaseLexer.g4 of Spark.
  spark: {
    ...standard,
    quotes: { "'": escaped('text', "'"), '"': escaped('text', '"'), '`': doubled('name', '`') },
    rawTexts: true,
    nestedComments: true,
  },
}

/** Returns how the lexer of a dialect reads; a syntax is returned as it is. */
export function syntaxFor(dialect: Dialect | Syntax): Syntax {
  return typeof dialect === 'string' ? syntaxes[dialect] : dialect
}

/** Returns how MySQL and MariaDB read texts and names in a mode (`@@sql_mode`). */
export function mysqlSyntax(sqlMode: string): Syntax {
  const modes = sqlMode.toUpperCase().split(',')
  const text = modes.includes('NO_BACKSLASH_ESCAPES') ? doubled : escaped
  return {
    ...mysql,
    quotes: {
      "'": text('text', "'"),
      '"': modes.includes('ANSI_QUOTES') ? doubled('name', '"') : text('text', '"'),
      '`': doubled('name', '`'),
    },
  }
}
