import type { Dialect } from '../enums/dialect.js'
import { commonForm, fullForm } from './form.js'
import { withoutCase } from './letter-case.js'
import { bindByHints, type ColumnHints, columnHints } from './normalize/hints.js'
import type { SqlParser } from './port.js'
import type { PrintedQuery } from './print/print.js'
import { type AssumptionKind, Assumptions } from './relational/assumptions.js'
import { type ShownKeys, shownKeys } from './relational/groups/full-grouping.js'
import { certainColumns, openColumns, readOuter } from './shape/outer-readings.js'
import type { QueryShape } from './shape/query-shape.js'
import { catalogued, looseTables, renameTables, sameTables } from './tables/namespaces.js'
import type { Schema } from './tables/tables.js'
import { type ColumnKinds, columnKinds } from './typing/column-kinds.js'
import { shownTimes } from './typing/shown-times.js'

/** A query and the dialect it is written in. */
export interface Side {
  readonly sql: string
  readonly dialect: Dialect
}

/** Something of the expected query and of the generated one. */
export interface Both<T> {
  readonly expected: T
  readonly generated: T
}

export function both<A, B>(sides: Both<A>, change: (side: A) => B): Both<B> {
  return { expected: change(sides.expected), generated: change(sides.generated) }
}

export type BoundSides =
  | {
      readonly kind: 'bound'
      readonly dialects: Both<Dialect>
      /** As written, tables of two databases by one name. */
      readonly written: Both<QueryShape>
      /** With the columns that each query shows the tables of the other to have. */
      readonly shapes: Both<QueryShape>
      /** Columns, as `table.name`, that may be columns of a query around the one that reads the table instead. */
      readonly open: readonly string[]
      /** The same where these of them are. */
      readonly asOuter: (columns: ReadonlySet<string>) => BoundSides & { kind: 'bound' }
    }
  | { readonly kind: 'unparsable'; readonly side: 'expected' | 'generated'; readonly message: string }

/** Parses both queries and binds their names: by the schema, and by what each tells of the tables of the other. */
export function bindSides(
  parser: SqlParser,
  expected: Side,
  generated: Side,
  schema: Schema | undefined,
): BoundSides {
  const left = parser.parse(expected.sql, expected.dialect, schema)
  if (left.kind === 'unparsable') return { kind: 'unparsable', side: 'expected', message: left.message }
  const right = parser.parse(generated.sql, generated.dialect, schema)
  if (right.kind === 'unparsable') return { kind: 'unparsable', side: 'generated', message: right.message }
  const dialects = { expected: expected.dialect, generated: generated.dialect }
  // In two dialects, and so in two databases, schemas are named as each database names them.
  const isOneDialect = dialects.expected === dialects.generated
  const asRead = [left.shape, right.shape] as const
  const read = isOneDialect ? asRead : withoutCase(asRead)
  const loose = isOneDialect ? catalogued(sameTables(read), schema) : looseTables(read)
  const named = both({ expected: read[0], generated: read[1] }, (shape) => renameTables(shape, loose))
  const sides = [named.expected, named.generated]
  const open = new Set(sides.flatMap((shape) => [...openColumns(shape)]))
  const isMarked = open.size > 0
  if (isMarked) for (const shape of sides) for (const name of certainColumns(shape)) open.delete(name)
  const asOuter = (columns: ReadonlySet<string>): BoundSides & { kind: 'bound' } => {
    const written = isMarked ? both(named, (shape) => readOuter(shape, columns)) : named
    const shapes = bindBoth(written, columnHints([written.expected, written.generated]), dialects)
    return { kind: 'bound', dialects, written, shapes, open: [...open].sort(), asOuter }
  }
  return asOuter(new Set())
}

/** Both queries with their bare names bound by what both show of their tables. */
export function bindBoth(
  { expected, generated }: Both<QueryShape>,
  hints: ColumnHints,
  dialects: Both<Dialect>,
): Both<QueryShape> {
  return {
    expected: bindByHints(expected, hints, dialects.expected),
    generated: bindByHints(generated, hints, dialects.generated),
  }
}

/** Both queries in the words that dialects share, before any rule is applied. */
export interface CommonSides {
  readonly dialects: Both<Dialect>
  readonly queries: Both<QueryShape>
  /** What columns hold; worked out for queries in two dialects only. */
  readonly columns: ColumnKinds | undefined
  /** Columns, as `table.name`, that one of the queries shows to hold dates or times; for queries in one dialect only. */
  readonly times: ReadonlySet<string>
}

export function inCommonWords(
  shapes: Both<QueryShape>,
  dialects: Both<Dialect>,
  schema: Schema | undefined,
): CommonSides {
  const across = dialects.expected !== dialects.generated
  const keys = across ? shownByEither(shapes, dialects) : undefined
  const queries = {
    expected: commonForm(shapes.expected, dialects.expected, across, keys),
    generated: commonForm(shapes.generated, dialects.generated, across, keys),
  }
  const sides = (['expected', 'generated'] as const).map((side) => ({
    query: queries[side],
    dialect: dialects[side],
  }))
  const times = across ? [] : sides.flatMap(({ query, dialect }) => [...shownTimes(query, dialect)])
  return {
    dialects,
    queries,
    columns: across ? columnKinds(sides, schema) : undefined,
    times: new Set(times),
  }
}

/** A table of two databases has one primary key. */
function shownByEither(shapes: Both<QueryShape>, dialects: Both<Dialect>): ShownKeys {
  const [left, right] = [
    shownKeys(shapes.expected, dialects.expected),
    shownKeys(shapes.generated, dialects.generated),
  ]
  const tables = [...new Set([...left.keys(), ...right.keys()])]
  return new Map(tables.map((table) => [table, [...(left.get(table) ?? []), ...(right.get(table) ?? [])]]))
}

export type Forms = Both<PrintedQuery> & {
  readonly assumptions: Assumptions
  /** The kinds that rules would have needed for each of the queries. */
  readonly refused: Both<ReadonlySet<AssumptionKind>>
}

/**
 * The full forms of both queries where rules may assume these kinds of things, but for those in `without`.
 * @param plain the forms where nothing may be assumed: a query for which no rule asked for more keeps it
 */
export function formsUnder(
  { dialects, queries, columns, times }: CommonSides,
  schema: Schema | undefined,
  allowed: ReadonlySet<AssumptionKind>,
  without: ReadonlySet<string> = new Set(),
  plain?: Forms | undefined,
): Forms {
  const across = dialects.expected !== dialects.generated
  const hasTextTimes = across && (dialects.expected === 'sqlite' || dialects.generated === 'sqlite')
  const assumptions = new Assumptions(allowed, { without, across, hasTextTimes })
  const formOf = (side: keyof Both<unknown>, other: keyof Both<unknown>): OneForm => {
    const refused = plain?.refused[side]
    if (plain !== undefined && refused !== undefined && ![...refused].some((kind) => allowed.has(kind)))
      return { form: plain[side], refused }
    const context = { dialect: dialects[side], other: dialects[other], schema, columns, times, assumptions }
    const form = fullForm(queries[side], context)
    return { form, refused: assumptions.takeRefused() }
  }
  const expected = formOf('expected', 'generated')
  const generated = formOf('generated', 'expected')
  return {
    expected: expected.form,
    generated: generated.form,
    assumptions,
    refused: both({ expected, generated }, ({ refused }) => refused),
  }
}

interface OneForm {
  readonly form: PrintedQuery
  readonly refused: ReadonlySet<AssumptionKind>
}

export function areEqual({ expected, generated }: Both<PrintedQuery>): boolean {
  return expected.text === generated.text
}
