import type { Dialect } from '../../enums/dialect.js'
import { apply, type Expression, word } from '../shape/query-shape.js'
import { allDialects } from './all-dialects.js'
import { bigquery } from './bigquery.js'
import { simplifyCast } from './casts.js'
import { duckdb } from './duckdb.js'
import { type FunctionTable, textLiteral, textLiteralValue } from './function-table.js'
import { mysql } from './mysql.js'
import { isPortable } from './portable-operations.js'
import { postgres, redshift } from './postgres.js'
import { snowflake } from './snowflake.js'
import { spark } from './spark.js'
import { sqlite } from './sqlite.js'
import { keepFormattedText } from './time-formats.js'
import { trino } from './trino.js'
import { commonTypeName } from './type-names.js'
import { toUnnest } from './unnest-calls.js'

const tables: Record<Dialect, FunctionTable> = {
  ansi: new Map(),
  sqlite,
  postgres,
  redshift,
  mysql,
  trino,
  presto: trino,
  duckdb,
  bigquery,
  snowflake,
  spark,
}

/**
 * A call in the words that all dialects share, so that queries in two dialects can be compared. `across` says that
 * they are: then types that only differ in range are one, and calls that are not known to mean the same elsewhere
 * carry the name of their dialect.
 */
export function toCommonFunction(expression: Expression, dialect: Dialect, across: boolean): Expression {
  if (across && expression.kind === 'literal') return commonLiteral(expression, dialect)
  if (expression.kind !== 'apply') return expression
  const rows = across ? toUnnest(expression, dialect) : undefined
  const common = lookUpFunction(keepFormattedText(expression), dialect, across)
  // Of numbers in a row it is a series.
  if (rows !== undefined && common.kind === 'apply' && common.op === expression.op) return rows
  if (!across || common.kind !== 'apply') return common
  if (common.op === 'regexp_like') return toCaseInsensitivePattern(common)
  if (common.op === 'substring') return normalizeSubstringStart(common, dialect)
  if (trims.has(common.op)) return normalizeTrimCharacters(common, dialect)
  return isPortable(common.op) || common !== expression
    ? common
    : qualifyWithDialect(common, dialectFamilies[dialect] ?? dialect)
}

/** A pattern that begins with `(?i)` takes no notice of case. */
function toCaseInsensitivePattern(call: Call): Expression {
  const [value, pattern] = call.args
  const written = textLiteralValue(pattern)
  if (value === undefined || written?.startsWith('(?i)') !== true || call.args.length !== 2) return call
  return apply('regexp_i_like', value, textLiteral(written.slice('(?i)'.length)))
}

function qualifyWithDialect(call: Call, by: string): Expression {
  return { ...call, op: `${call.op} of ${by}` }
}

/** A place below 1 is counted from the end, or lies before the text, or is nowhere. */
function normalizeSubstringStart(call: Call, dialect: Dialect): Expression {
  const [, start] = call.args
  if (start === undefined || isPositive(start)) return call
  const isNegative = start.kind === 'apply' && start.op === 'neg'
  // Of a text that ends before the place dialects cut in four ways.
  return qualifyWithDialect(
    call,
    isNegative && dialect !== 'postgres' && dialect !== 'redshift' ? `the end, ${dialect}` : dialect,
  )
}

const trims: ReadonlySet<string> = new Set(['trim', 'ltrim', 'rtrim'])

/** Dialects that cut off white space of all kinds, where others cut off spaces. */
const trimsWhiteSpace: ReadonlySet<Dialect> = new Set(['trino', 'presto', 'bigquery'])

function normalizeTrimCharacters(call: Call, dialect: Dialect): Expression {
  const [value, characters] = call.args
  if (characters !== undefined) return call
  const hasSpacesOnly = value?.kind === 'literal' && !/[^\S ]/u.test(value.value)
  return hasSpacesOnly || !trimsWhiteSpace.has(dialect) ? call : { ...call, op: `${call.op}_white_space` }
}

function isPositive(start: Expression): boolean {
  if (start.kind === 'literal') return start.type === 'number' && /^[1-9]\d*$/u.test(start.value)
  if (start.kind !== 'apply' || start.op !== '+') return false
  const isCount = (part: Expression): boolean =>
    part.kind === 'apply' && (part.op === 'str_position' || part.op === 'length')
  return start.args.some(isPositive) && start.args.every((part) => isCount(part) || isPositive(part))
}

/** Dialects of one origin have the functions of one another. */
const dialectFamilies: Partial<Record<Dialect, string>> = { presto: 'trino' }

function lookUpFunction(expression: Call, dialect: Dialect, across: boolean): Expression {
  const { op, args } = expression
  const own = tables[dialect].get(op)?.(args, dialect)
  if (own?.kind === 'apply' && own.op === 'cast') return commonCast(own, dialect, across)
  if (own !== undefined) return own
  if (op === 'cast' || op === 'try_cast') return commonCast(expression, dialect, across)
  return allDialects.get(op)?.(args, dialect) ?? expression
}

type Call = Expression & { kind: 'apply' }

function commonCast(expression: Call, dialect: Dialect, across: boolean): Expression {
  const [value, type] = expression.args
  if (value === undefined || type?.kind !== 'literal' || expression.args.length !== 2) return expression
  const common = commonTypeName(type.value, dialect, across)
  const settled = across && expression.op === 'cast' ? simplifyCast(value, common) : undefined
  if (settled !== undefined) return settled
  return common === type.value ? expression : apply(expression.op, value, word(common))
}

function commonLiteral(literal: Expression & { kind: 'literal' }, dialect: Dialect): Expression {
  const { type, value } = literal
  if (type === 'boolean')
    return { kind: 'literal', type: 'number', value: value === 'true' ? '1' : '0', isTruth: true }
  if (type === 'timestamp') return apply('cast', textLiteral(value), word('timestamp'))
  // Trino's TIME literals have a time zone where one is written.
  const hasZone = /[-+]\d{2}:\d{2}$/u.test(value) && (dialect === 'trino' || dialect === 'presto')
  if (type === 'time') return apply('cast', textLiteral(value), word(hasZone ? 'timetz' : 'time'))
  return literal
}
