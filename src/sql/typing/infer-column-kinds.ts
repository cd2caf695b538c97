import type { Dialect } from '../../enums/dialect.js'
import type { Expression, QueryShape } from '../shape/query-shape.js'
import { rewriteQuery } from '../shape/rewrite-query.js'
import { plainName, type Schema, tableOf } from '../tables/table-schema.js'
import { anyKind, booleans, dates, isOnly, type Kinds, kindsOfType, numbers, timestamps } from './kinds.js'
import { type Sources, sourcesIn } from './query-sources.js'

type Column = Expression & { kind: 'column' }

/** A query in common words, and the dialect it was written in. */
export interface TypedQuery {
  readonly query: QueryShape
  readonly dialect: Dialect
}

/** The kinds of values in columns of tables, by `table.column`. */
export type ColumnKinds = ReadonlyMap<string, Kinds>

/** Dialects that refuse a call whose arguments have the wrong types. */
const strictArgumentTypes: ReadonlySet<Dialect> = new Set([
  'postgres',
  'redshift',
  'trino',
  'presto',
  'bigquery',
  'snowflake',
  'duckdb',
])

/** Dialects that take nothing but truth values for conditions. */
const conditionsOnly: ReadonlySet<Dialect> = new Set(['postgres', 'redshift', 'trino', 'presto', 'bigquery'])

/** Dialects in which the difference of two dates is a number of days. */
export const subtractsDays: ReadonlySet<Dialect> = new Set(['postgres', 'redshift', 'duckdb', 'snowflake'])

/**
 * Returns the kinds that columns can hold where both queries run: the calls that read a column, and the schema, exclude some.
 * Columns of one name hold the same in both databases.
 */
export function inferColumnKinds(sides: readonly TypedQuery[], schema: Schema | undefined): ColumnKinds {
  const found = new Map<string, Kinds>()
  const isLoose = sides.some(({ dialect }) => dialect === 'sqlite')
  for (const { query, dialect } of sides) {
    const sources = sourcesIn(query)
    const note = (column: Column, kinds: Kinds): void => {
      const table = column.source === undefined ? undefined : sources.tables.get(column.source)
      if (table === undefined) return
      const key = `${table}.${column.name}`
      found.set(key, (found.get(key) ?? declared(table, column.name, schema, isLoose)) & kinds)
    }
    const expect = expecting(dialect, sources, note)
    rewriteQuery(query, {
      query: (nested) => {
        if (nested.kind === 'select' && conditionsOnly.has(dialect))
          for (const condition of [nested.where, nested.having]) if (condition) expect(condition, booleans)
        return nested
      },
      expression: (expression) => {
        expect(expression, anyKind)
        return expression
      },
    })
  }
  return found
}

/** Returns the kinds of a column's declared type; SQLite, which stores any value, enforces only float types. */
function declared(table: string, column: string, schema: Schema | undefined, isLoose: boolean): Kinds {
  const type = schema && tableOf(schema, table)?.columns.get(plainName(column))?.type
  if (type === undefined || (isLoose && !/real|floa|doub/u.test(type))) return anyKind
  return kindsOfType(type)
}

const datesOnly: ReadonlySet<string> = new Set([
  'days_between',
  'julian_days',
  'whole_units',
  'unit_boundaries',
])
const calculations: ReadonlySet<string> = new Set(['*', '/', 'fdiv', '%'])
/** Functions that return one of their arguments. */
const choosing: ReadonlySet<string> = new Set(['min', 'max', 'coalesce'])
const passing: ReadonlySet<string> = new Set(['sum', 'avg', 'round', 'abs'])

/** Tells what the parts of a call must be for the call to be of the expected kinds. */
function expecting(
  dialect: Dialect,
  sources: Sources,
  note: (column: Column, kinds: Kinds) => void,
): (expression: Expression, kinds: Kinds) => void {
  const isStrict = strictArgumentTypes.has(dialect)
  const expect = (expression: Expression | undefined, kinds: Kinds): void => {
    if (expression?.kind === 'column') {
      const output = sources.outputOf(expression)
      if (output === undefined) note(expression, kinds)
      else expect(output, kinds)
    }
    if (expression?.kind !== 'apply') return
    const { op, args } = expression
    const each = (parts: readonly Expression[], wanted: Kinds): void => {
      for (const part of parts) expect(part, wanted)
    }
    if (datesOnly.has(op)) each(args, args.some(isDay) && dialect === 'bigquery' ? dates : dates | timestamps)
    else if (choosing.has(op)) each(args, kinds)
    else if (!isStrict) return
    else if (conditional.has(op) && conditionsOnly.has(dialect)) each(conditionsOf(op, args), booleans)
    else if (op === '-' && isOnly(kinds, numbers))
      each(args, subtractsDays.has(dialect) ? numbers | dates : numbers)
    else if (calculations.has(op) && isOnly(kinds, numbers)) each(args, numbers)
    else if (op === 'round' && args.length === 2) expect(args[0], numbers)
    else if (passing.has(op)) expect(args[0], kinds)
    else if (comparisons.has(op) && args.some(isTruth)) {
      if (conditionsOnly.has(dialect)) each(args, booleans)
    } else if (comparisons.has(op) && args.some(isNumber)) each(args, numbers)
  }
  return expect
}

const conditional: ReadonlySet<string> = new Set(['and', 'or', 'not', 'case', 'is_true', 'is_false'])

/** The parts that are conditions. */
function conditionsOf(op: string, args: readonly Expression[]): readonly Expression[] {
  if (op !== 'case') return args
  const branches = args.flatMap((part) => (part.kind === 'apply' ? [part] : []))
  if (branches.some((part) => part.op === 'of')) return []
  return branches.filter((part) => part.op === 'when').flatMap((part) => part.args.slice(0, 1))
}

function isTruth(value: Expression): boolean {
  return value.kind === 'literal' && value.isTruth === true
}

const comparisons: ReadonlySet<string> = new Set([
  '=',
  '<>',
  '<',
  '<=',
  '>',
  '>=',
  'nullif',
  'in_list',
  'between',
])

function isNumber(value: Expression): boolean {
  return value.kind === 'literal' && value.type === 'number'
}

function isDay(value: Expression): boolean {
  return value.kind === 'apply' && value.op === 'current_date'
}
