import type { Dialect } from '../enums/dialect.js'
import { canonicalizeQuery, queryToCommonDialect } from './canonicalize.js'
import { foldNameCase } from './name-case-folding.js'
import { bindByHints, type ColumnHints, columnHints } from './normalize/column-hints.js'
import type { SqlParser } from './parser-interface.js'
import type { PrintedQuery } from './print/print.js'
import { type AssumptionKind, Assumptions } from './relational/assumptions.js'
import { type ImpliedKeys, inferImpliedKeys } from './relational/groups/dependent-group-keys.js'
import { ambiguousColumns, resolveOuterColumns, unambiguousColumns } from './shape/outer-column-ambiguity.js'
import type { QueryShape } from './shape/query-shape.js'
import {
  confirmedBySchema,
  matchQualifiedTables,
  renameTables,
  unqualifiedTableNames,
} from './tables/qualified-names.js'
import type { Schema } from './tables/table-schema.js'
import { type ColumnKinds, inferColumnKinds } from './typing/infer-column-kinds.js'
import { inferTemporalColumns } from './typing/temporal-columns.js'

/** A query and the dialect it is written in. */
export interface DialectQuery {
  readonly sql: string
  readonly dialect: Dialect
}

/** Something of the expected query and of the generated one. */
export interface QueryPair<T> {
  readonly expected: T
  readonly generated: T
}

export function mapPair<A, B>(sides: QueryPair<A>, change: (side: A) => B): QueryPair<B> {
  return { expected: change(sides.expected), generated: change(sides.generated) }
}

export type BoundPair =
  | {
      readonly kind: 'bound'
      readonly dialects: QueryPair<Dialect>
      /** As written, tables of two databases by one name. */
      readonly written: QueryPair<QueryShape>
      /** With the columns that each query shows the tables of the other to have. */
      readonly shapes: QueryPair<QueryShape>
      /** Columns, as `table.name`, that may be columns of a query around the one that reads the table instead. */
      readonly open: readonly string[]
      /** The same where these of them are. */
      readonly asOuter: (columns: ReadonlySet<string>) => BoundPair & { kind: 'bound' }
    }
  | { readonly kind: 'unparsable'; readonly side: 'expected' | 'generated'; readonly message: string }

/** Parses both queries and binds their names: by the schema, and by what each tells of the tables of the other. */
export function bindQueryPair(
  parser: SqlParser,
  expected: DialectQuery,
  generated: DialectQuery,
  schema: Schema | undefined,
): BoundPair {
  const left = parser.parse(expected.sql, expected.dialect, schema)
  if (left.kind === 'unparsable') return { kind: 'unparsable', side: 'expected', message: left.message }
  const right = parser.parse(generated.sql, generated.dialect, schema)
  if (right.kind === 'unparsable') return { kind: 'unparsable', side: 'generated', message: right.message }
  const dialects = { expected: expected.dialect, generated: generated.dialect }
  // In two dialects, and so in two databases, schemas are named as each database names them.
  const isOneDialect = dialects.expected === dialects.generated
  const asRead = [left.shape, right.shape] as const
  const read = isOneDialect ? asRead : foldNameCase(asRead)
  const loose = isOneDialect
    ? confirmedBySchema(matchQualifiedTables(read), schema)
    : unqualifiedTableNames(read)
  const named = mapPair({ expected: read[0], generated: read[1] }, (shape) => renameTables(shape, loose))
  const sides = [named.expected, named.generated]
  const open = new Set(sides.flatMap((shape) => [...ambiguousColumns(shape)]))
  const isMarked = open.size > 0
  if (isMarked) for (const shape of sides) for (const name of unambiguousColumns(shape)) open.delete(name)
  const asOuter = (columns: ReadonlySet<string>): BoundPair & { kind: 'bound' } => {
    const written = isMarked ? mapPair(named, (shape) => resolveOuterColumns(shape, columns)) : named
    const shapes = bindPairColumns(written, columnHints([written.expected, written.generated]), dialects)
    return { kind: 'bound', dialects, written, shapes, open: [...open].sort(), asOuter }
  }
  return asOuter(new Set())
}

/** Both queries with their bare names bound by what both show of their tables. */
export function bindPairColumns(
  { expected, generated }: QueryPair<QueryShape>,
  hints: ColumnHints,
  dialects: QueryPair<Dialect>,
): QueryPair<QueryShape> {
  return {
    expected: bindByHints(expected, hints, dialects.expected),
    generated: bindByHints(generated, hints, dialects.generated),
  }
}

/** Both queries in the words that dialects share, before any rule is applied. */
export interface CommonDialectPair {
  readonly dialects: QueryPair<Dialect>
  readonly queries: QueryPair<QueryShape>
  /** The kinds of values in columns; inferred for queries in two dialects only. */
  readonly columns: ColumnKinds | undefined
  /** Columns, as `table.name`, that one of the queries shows to hold dates or times; for queries in one dialect only. */
  readonly times: ReadonlySet<string>
}

export function toCommonDialect(
  shapes: QueryPair<QueryShape>,
  dialects: QueryPair<Dialect>,
  schema: Schema | undefined,
): CommonDialectPair {
  const across = dialects.expected !== dialects.generated
  const keys = across ? mergeImpliedKeys(shapes, dialects) : undefined
  const queries = {
    expected: queryToCommonDialect(shapes.expected, dialects.expected, across, keys),
    generated: queryToCommonDialect(shapes.generated, dialects.generated, across, keys),
  }
  const sides = (['expected', 'generated'] as const).map((side) => ({
    query: queries[side],
    dialect: dialects[side],
  }))
  const times = across ? [] : sides.flatMap(({ query, dialect }) => [...inferTemporalColumns(query, dialect)])
  return {
    dialects,
    queries,
    columns: across ? inferColumnKinds(sides, schema) : undefined,
    times: new Set(times),
  }
}

/** A table of two databases has one primary key. */
function mergeImpliedKeys(shapes: QueryPair<QueryShape>, dialects: QueryPair<Dialect>): ImpliedKeys {
  const [left, right] = [
    inferImpliedKeys(shapes.expected, dialects.expected),
    inferImpliedKeys(shapes.generated, dialects.generated),
  ]
  const tables = [...new Set([...left.keys(), ...right.keys()])]
  return new Map(tables.map((table) => [table, [...(left.get(table) ?? []), ...(right.get(table) ?? [])]]))
}

export type CanonicalPair = QueryPair<PrintedQuery> & {
  readonly assumptions: Assumptions
  /** The kinds that rules would have needed for each of the queries. */
  readonly refused: QueryPair<ReadonlySet<AssumptionKind>>
}

/**
 * Returns the full forms of both queries where rules may make assumptions of these kinds, except those in `without`.
 * @param plain the forms where nothing may be assumed: a query for which no rule asked for more keeps it
 */
export function canonicalizePair(
  { dialects, queries, columns, times }: CommonDialectPair,
  schema: Schema | undefined,
  allowed: ReadonlySet<AssumptionKind>,
  without: ReadonlySet<string> = new Set(),
  plain?: CanonicalPair | undefined,
): CanonicalPair {
  const across = dialects.expected !== dialects.generated
  const hasTextTimes = across && (dialects.expected === 'sqlite' || dialects.generated === 'sqlite')
  const assumptions = new Assumptions(allowed, { without, isCrossDialect: across, hasTextTimes })
  const formOf = (side: keyof QueryPair<unknown>, other: keyof QueryPair<unknown>): CanonicalSide => {
    const refused = plain?.refused[side]
    if (plain !== undefined && refused !== undefined && ![...refused].some((kind) => allowed.has(kind)))
      return { form: plain[side], refused }
    const context = { dialect: dialects[side], other: dialects[other], schema, columns, times, assumptions }
    const form = canonicalizeQuery(queries[side], context)
    return { form, refused: assumptions.takeRefused() }
  }
  const expected = formOf('expected', 'generated')
  const generated = formOf('generated', 'expected')
  return {
    expected: expected.form,
    generated: generated.form,
    assumptions,
    refused: mapPair({ expected, generated }, ({ refused }) => refused),
  }
}

interface CanonicalSide {
  readonly form: PrintedQuery
  readonly refused: ReadonlySet<AssumptionKind>
}

export function areEqual({ expected, generated }: QueryPair<PrintedQuery>): boolean {
  return expected.text === generated.text
}
