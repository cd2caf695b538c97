import type { Dialect } from '../dialect.js'
import { describeDifferences } from './diff.js'
import type { SqlDifference, StructureFinding } from './finding.js'
import { fullForm } from './form.js'
import { looseTables, renameTables } from './namespaces.js'
import { bindByHints, columnHints, readQuotedAsText } from './normalize/hints.js'
import { normalize } from './normalize/normalize.js'
import type { SqlParser } from './port.js'
import { type PrintedQuery, printQuery } from './print.js'
import { type AssumptionKind, Assumptions } from './relational/assumptions.js'
import type { QueryShape } from './shape/query-shape.js'
import type { Schema } from './tables.js'

/** A query and the dialect it is written in. */
export interface Side {
  readonly sql: string
  readonly dialect: Dialect
}

export interface CompareOptions {
  /** Tables that both queries read: tells columns, types, keys and which values are never NULL. */
  readonly schema?: Schema | undefined
  /** Take it that every foreign key names a row, so that joins only for that check nothing. */
  readonly trustForeignKeys?: boolean | undefined
}

/** Compares two queries written in one dialect; see `compareSides`. */
export function compareQueries(
  parser: SqlParser,
  expected: string,
  generated: string,
  dialect: Dialect,
  options: CompareOptions = {},
): StructureFinding {
  return compareSides(parser, { sql: expected, dialect }, { sql: generated, dialect }, options)
}

/**
 * Compares two queries by structure, without running them. Equal canonical forms are `equal`; forms that are equal
 * only where something holds are `equal_if`. `different` means "not shown equal" and says in words how the
 * generated query departs from the expected one.
 */
export function compareSides(
  parser: SqlParser,
  expected: Side,
  generated: Side,
  options: CompareOptions = {},
): StructureFinding {
  const left = parser.parse(expected.sql, expected.dialect, options.schema)
  const right = parser.parse(generated.sql, generated.dialect, options.schema)
  if (left.kind === 'unparsable') return { kind: 'unparsable', side: 'expected', message: left.message }
  if (right.kind === 'unparsable') return { kind: 'unparsable', side: 'generated', message: right.message }
  const dialects: Both<Dialect> = { expected: expected.dialect, generated: generated.dialect }
  const isOneDialect = dialects.expected === dialects.generated
  const asWritten: Both<QueryShape> = { expected: left.shape, generated: right.shape }
  // In two dialects, and so in two databases, schemas are named as each database names them.
  const loose = isOneDialect ? new Map<string, string>() : looseTables([left.shape, right.shape])
  const written = both(asWritten, (shape) => renameTables(shape, loose))
  if (isOneDialect && areEqual(print(written, dialects, false))) return { kind: 'equal' }
  const hints = columnHints([written.expected, written.generated])
  const bound = both(written, (shape) => bindByHints(shape, hints))
  const printed = print(bound, dialects, false)
  if (isOneDialect && areEqual(printed)) return { kind: 'equal' }
  const trusted: AssumptionKind[] = options.trustForeignKeys === true ? ['foreign keys'] : []
  const full = formsUnder(bound, dialects, options.schema, new Set(trusted))
  if (areEqual(full)) return { kind: 'equal' }
  const described = describe(bound, printed, dialects)
  const differences = described.length > 0 ? described : describeDifferences(full.expected, full.generated)
  const assumptions = assumptionsFor(bound, dialects, options.schema, trusted)
  return assumptions === undefined
    ? { kind: 'different', differences }
    : { kind: 'equal_if', assumptions, differences }
}

interface Both<T> {
  readonly expected: T
  readonly generated: T
}

type Forms = Both<PrintedQuery> & { readonly assumptions: readonly string[] }

function both<A, B>(sides: Both<A>, change: (side: A) => B): Both<B> {
  return { expected: change(sides.expected), generated: change(sides.generated) }
}

function print(shapes: Both<QueryShape>, dialects: Both<Dialect>, qualify: boolean): Both<PrintedQuery> {
  const printed = (shape: QueryShape, dialect: Dialect): PrintedQuery =>
    printQuery(normalize(shape, dialect), { qualify })
  return {
    expected: printed(shapes.expected, dialects.expected),
    generated: printed(shapes.generated, dialects.generated),
  }
}

function formsUnder(
  shapes: Both<QueryShape>,
  dialects: Both<Dialect>,
  schema: Schema | undefined,
  allowed: ReadonlySet<AssumptionKind>,
): Forms {
  const assumptions = new Assumptions(allowed)
  return {
    expected: fullForm(shapes.expected, {
      dialect: dialects.expected,
      other: dialects.generated,
      schema,
      assumptions,
    }),
    generated: fullForm(shapes.generated, {
      dialect: dialects.generated,
      other: dialects.expected,
      schema,
      assumptions,
    }),
    assumptions: assumptions.made,
  }
}

const assumable: readonly AssumptionKind[] = ['types', 'nulls', 'ties', 'rows', 'foreign keys']

/** The fewest kinds of assumption under which the forms are equal, in words; undefined where there are none. */
function assumptionsFor(
  bound: Both<QueryShape>,
  dialects: Both<Dialect>,
  schema: Schema | undefined,
  trusted: readonly AssumptionKind[],
): readonly string[] | undefined {
  const texts = new Set<string>()
  const asTexts = both(bound, (shape) => readQuotedAsText(shape, texts))
  const quoted = [...texts]
    .sort()
    .map((text) => `no table in the queries has a column named "${text}", so that it is a text`)
  const under = (kinds: readonly AssumptionKind[]): Forms =>
    formsUnder(asTexts, dialects, schema, new Set([...trusted, ...kinds]))
  const all = under(assumable)
  if (!areEqual(all)) return undefined
  let [kinds, best] = [assumable, all]
  for (const kind of assumable.toReversed()) {
    const fewer = kinds.filter((other) => other !== kind)
    const without = under(fewer)
    if (areEqual(without)) [kinds, best] = [fewer, without]
  }
  return [...quoted, ...best.assumptions]
}

function areEqual({ expected, generated }: Both<PrintedQuery>): boolean {
  return expected.text === generated.text
}

/** Columns are called alike on both sides: without their table only where both queries have a single one. */
function describe(
  shapes: Both<QueryShape>,
  printed: Both<PrintedQuery>,
  dialects: Both<Dialect>,
): SqlDifference[] {
  const alike = (printed.expected.tables === 1) === (printed.generated.tables === 1)
  const { expected, generated } = alike ? printed : print(shapes, dialects, true)
  return describeDifferences(expected, generated)
}
