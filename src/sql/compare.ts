import type { Dialect } from '../enums/dialect.js'
import { compareAliasReadings } from './ambiguous-aliases.js'
import { compareOuterReadings } from './ambiguous-outer-columns.js'
import { findMisnamedOutputs } from './misnamed-outputs.js'
import { quotedNamesToText } from './normalize/column-hints.js'
import { normalize } from './normalize/normalize.js'
import { type AssumedPair, pairAssumptions } from './pair-assumptions.js'
import type { SqlParser } from './parser-interface.js'
import { describeDifferences } from './print/diff.js'
import { type PrintedQuery, printQuery } from './print/print.js'
import {
  areEqual,
  type BoundPair,
  bindQueryPair,
  type CanonicalPair,
  type CommonDialectPair,
  canonicalizePair,
  type DialectQuery,
  mapPair,
  type QueryPair,
  toCommonDialect,
} from './query-pair.js'
import { quoteSourceText } from './quote-source.js'
import type { AssumptionKind } from './relational/assumptions.js'
import type { QueryShape } from './shape/query-shape.js'
import type { SqlDifference, StructuralComparison } from './structural-comparison.js'
import type { Schema } from './tables/table-schema.js'

export type { DialectQuery } from './query-pair.js'

export interface CompareOptions {
  /** Tables that both queries read: tells columns, types, keys and which values are never NULL. */
  readonly schema?: Schema | undefined
  /** Take it that every foreign key names a row, so that joins only for that check nothing. */
  readonly trustForeignKeys?: boolean | undefined
  /**
   * Take it, where no schema tells, that names mean what a reader takes them for: a table which one query names in full
   * (catalogue, schema, name) is the one that the other names shorter, and the alias of an output is no column, too.
   * The finding says which were taken so.
   */
  readonly conventionalNames?: boolean | undefined
  /**
   * Take it, where no schema tells, that what two dialects do with the same thing, each in its way, makes no difference:
   * where NULLs are put that no query places, what a number is as a text, the days of a month that is too short. The
   * finding says what was taken so.
   */
  readonly dialectDefaults?: boolean | undefined
  /** Only whether the queries are equal is asked: what is not is `different`, without a word on why. */
  readonly onlyEqual?: boolean | undefined
}

/** Whether two queries written in one dialect are shown to be equal; faster than to tell their differences. */
export function areEquivalent(
  parser: SqlParser,
  one: string,
  other: string,
  dialect: Dialect,
  options: CompareOptions = {},
): boolean {
  return compareQueries(parser, one, other, dialect, { ...options, onlyEqual: true }).kind === 'equal'
}

/** Compares two queries written in one dialect; see `compareSides`. */
export function compareQueries(
  parser: SqlParser,
  expected: string,
  generated: string,
  dialect: Dialect,
  options: CompareOptions = {},
): StructuralComparison {
  return compareQueryPair(parser, { sql: expected, dialect }, { sql: generated, dialect }, options)
}

/**
 * Compares two queries by structure, without running them. Equal canonical forms are `equal`; forms that are equal
 * only where something holds are `equal_if`. `different` means "not shown equal" and says in words how the
 * generated query departs from the expected one.
 */
export function compareQueryPair(
  parser: SqlParser,
  expected: DialectQuery,
  generated: DialectQuery,
  options: CompareOptions = {},
): StructuralComparison {
  try {
    const bound = bindQueryPair(parser, expected, generated, options.schema)
    if (bound.kind === 'unparsable') return bound
    const compare = (read: typeof bound): StructuralComparison => compareBound(read, options)
    const comparison = compareOuterReadings(bound, (outer) =>
      compareAliasReadings(outer, compare, assumesConventionalNames(options)),
    )
    return quoteSourceText(comparison, { expected, generated }, parser, options.schema)
  } catch (error) {
    // The stack is full: what the parser can read may still be more than the rules can.
    if (!(error instanceof RangeError)) throw error
    const side = expected.sql.length < generated.sql.length ? 'generated' : 'expected'
    return {
      kind: 'unparsable',
      side,
      message: 'The query is too large, or nested too deeply, to compare by structure',
    }
  }
}

function compareBound(
  { dialects, written, shapes }: BoundPair & { kind: 'bound' },
  options: CompareOptions,
): StructuralComparison {
  const isOneDialect = dialects.expected === dialects.generated
  const printed = isOneDialect ? print(shapes, dialects, false) : undefined
  if (printed !== undefined && areEqual(printed)) return equalUnlessOutputsMisnamed(shapes, printed)
  const common = toCommonDialect(shapes, dialects, options.schema)
  const full = canonicalizePair(common, options.schema, new Set(trustedAssumptionKinds(options)))
  if (areEqual(full)) return equalUnlessOutputsMisnamed(shapes, full)
  if (options.onlyEqual === true) return { kind: 'different', differences: [] }
  const described = describe(shapes, printed ?? print(shapes, dialects, false), dialects)
  const inCommon = (): readonly SqlDifference[] => describeDifferences(full.expected, full.generated)
  const differences = isOneDialect
    ? preferShorterDescription(described, inCommon)
    : withoutDialectDifferences(described, inCommon())
  const assumed = findMinimalAssumptions(
    shapes,
    common,
    options.schema,
    trustedAssumptionKinds(options),
    full,
  )
  if (assumed !== undefined) {
    const { assumptions, areDialectDefaultsOnly, areBeyondSchema } = assumed
    const isOpen = options.schema === undefined || areBeyondSchema
    const isUsual = areDialectDefaultsOnly && isOpen && options.dialectDefaults === true
    return isUsual ? { kind: 'equal', assumptions } : { kind: 'equal_if', assumptions, differences }
  }
  const found = isOneDialect ? findTableAssumptions(written, dialects, options) : undefined
  if (found === undefined) return { kind: 'different', differences }
  return found.assumesOneSession && assumesConventionalNames(options)
    ? { kind: 'equal', assumptions: found.assumptions }
    : { kind: 'equal_if', assumptions: found.assumptions, differences }
}

function equalUnlessOutputsMisnamed(
  shapes: QueryPair<QueryShape>,
  printed: QueryPair<PrintedQuery>,
): StructuralComparison {
  const differences = findMisnamedOutputs(shapes, printed)
  return differences.length === 0 ? { kind: 'equal' } : { kind: 'different', differences }
}

/**
 * As the author wrote it, unless one side has a derived table or CTE that the other does without: all that is in it would
 * be told as missing, which is no help where but a part of it is.
 */
function preferShorterDescription(
  described: readonly SqlDifference[],
  further: () => readonly SqlDifference[],
): readonly SqlDifference[] {
  const isAboutShape = described.some(({ text }) => /\bderived table\b|<subquery>/u.test(text))
  if (described.length > 0 && !isAboutShape) return described
  const differences = further()
  const isShorter = differences.length > 0 && differences.length < described.length
  return described.length === 0 || isShorter ? differences : described
}

/**
 * Returns the differences as the authors wrote them, except those that are only two spellings of two dialects: of each
 * component that differs in the common dialect too, the shorter list.
 */
function withoutDialectDifferences(
  described: readonly SqlDifference[],
  inCommon: readonly SqlDifference[],
): readonly SqlDifference[] {
  const components = new Set(inCommon.map(({ component }) => component))
  const of = (all: readonly SqlDifference[], wanted: string): readonly SqlDifference[] =>
    all.filter(({ component }) => component === wanted)
  const left = [...components].flatMap((component) => {
    const [written, common] = [of(described, component), of(inCommon, component)]
    return written.length > 0 && written.length <= common.length ? written : common
  })
  return left.length > 0 ? left : described
}

function assumesConventionalNames({ schema, conventionalNames }: CompareOptions): boolean {
  return conventionalNames === true && schema === undefined
}

/** Returns the kinds of assumptions that the options allow without reporting them. */
export function trustedAssumptionKinds(options: CompareOptions): readonly AssumptionKind[] {
  return options.trustForeignKeys === true ? ['foreign keys'] : []
}

function print(
  shapes: QueryPair<QueryShape>,
  dialects: QueryPair<Dialect>,
  qualify: boolean,
): QueryPair<PrintedQuery> {
  const printed = (shape: QueryShape, dialect: Dialect): PrintedQuery =>
    printQuery(normalize(shape, dialect), { qualify })
  return {
    expected: printed(shapes.expected, dialects.expected),
    generated: printed(shapes.generated, dialects.generated),
  }
}

/** The fewest assumptions under which the forms are equal, in words; undefined where there are none. */
function findMinimalAssumptions(
  bound: QueryPair<QueryShape>,
  common: CommonDialectPair,
  schema: Schema | undefined,
  trusted: readonly AssumptionKind[],
  plain: CanonicalPair,
):
  | {
      readonly assumptions: readonly string[]
      readonly areDialectDefaultsOnly: boolean
      readonly areBeyondSchema: boolean
    }
  | undefined {
  const texts = new Set<string>()
  const asTexts = mapPair(bound, (shape) => quotedNamesToText(shape, texts))
  const { refused } = plain
  if (texts.size === 0 && refused.expected.size === 0 && refused.generated.size === 0) return undefined
  const quoted = [...texts]
    .sort()
    .map((text) => `no table in the queries has a column named "${text}", so it is a string`)
  const sides = texts.size === 0 ? common : toCommonDialect(asTexts, common.dialects, schema)
  const known = texts.size === 0 && trusted.length === 0 ? plain : undefined
  const under = (kinds: readonly AssumptionKind[], without: ReadonlySet<string> = new Set()): CanonicalPair =>
    canonicalizePair(sides, schema, new Set([...trusted, ...kinds]), without, known)
  let best = under(['types', 'nulls', 'foreign keys'])
  // Two queries for a first row are described in a form of their own.
  if (!areEqual(best) && (best.refused.expected.has('ties') || best.refused.generated.has('ties')))
    best = under(['ties', 'types', 'nulls', 'foreign keys'])
  // Of two assumptions that contradict one another the first may be the one that was of no use.
  let needless = areEqual(best) ? new Set<string>() : best.assumptions.contradicted
  if (needless.size > 0) best = under(['types', 'nulls', 'foreign keys'], needless)
  if (!areEqual(best)) return undefined
  // Without a kind that no rule needed the forms are the same.
  let kinds: readonly AssumptionKind[] = [...best.assumptions.kinds]
  for (const kind of kinds) {
    const fewer = kinds.filter((other) => other !== kind)
    const forms = under(fewer, needless)
    if (areEqual(forms)) [kinds, best] = [fewer, forms]
  }
  for (const text of best.assumptions.made) {
    const fewer = new Set([...needless, text])
    const forms = under(kinds, fewer)
    if (areEqual(forms)) [needless, best] = [fewer, forms]
  }
  const { made, areDialectDefaultsOnly, areBeyondSchema } = best.assumptions
  return {
    assumptions: [...quoted, ...made],
    areDialectDefaultsOnly: areDialectDefaultsOnly && quoted.length === 0,
    areBeyondSchema,
  }
}

/** Returns the assumptions, on tables and other things, under which the queries are equal; undefined where there are none. */
function findTableAssumptions(
  written: QueryPair<QueryShape>,
  dialects: QueryPair<Dialect>,
  options: CompareOptions,
): Pick<AssumedPair, 'assumptions' | 'assumesOneSession'> | undefined {
  const furtherFor = (shapes: QueryPair<QueryShape>): readonly string[] | undefined => {
    const common = toCommonDialect(shapes, dialects, options.schema)
    const forms = canonicalizePair(common, options.schema, new Set(trustedAssumptionKinds(options)))
    return areEqual(forms)
      ? []
      : findMinimalAssumptions(shapes, common, options.schema, trustedAssumptionKinds(options), forms)
          ?.assumptions
  }
  for (const assumed of pairAssumptions(written, dialects, options.schema)) {
    const { shapes, assumptions, reversed, inAnyOrder } = assumed
    const further = furtherFor(shapes)
    if (further === undefined) continue
    const isFree = reversed !== undefined && furtherFor(reversed)?.join() === further.join()
    return {
      assumptions: [...(isFree ? (inAnyOrder ?? assumptions) : assumptions), ...further],
      assumesOneSession: assumed.assumesOneSession && further.length === 0,
    }
  }
  return undefined
}

/** Columns are called alike on both sides: without their table only where both queries have a single one. */
function describe(
  shapes: QueryPair<QueryShape>,
  printed: QueryPair<PrintedQuery>,
  dialects: QueryPair<Dialect>,
): SqlDifference[] {
  const alike = (printed.expected.tables === 1) === (printed.generated.tables === 1)
  const { expected, generated } = alike ? printed : print(shapes, dialects, true)
  return describeDifferences(expected, generated)
}
