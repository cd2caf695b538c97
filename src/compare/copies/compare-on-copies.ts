import { LRUCache } from 'lru-cache'
import type {
  CopyQueries,
  Engine,
  FuzzedCopies,
  FuzzedCopy,
  QueryOutcome,
  Value,
} from '../../engine/contract/engine.js'
import { identifiersIn } from '../../engine/fuzz/redistribute-values.js'
import type { Dialect } from '../../enums/dialect.js'
import { AutotestError } from '../../errors.js'
import { type SqlParser, translateSql } from '../../sql/index.js'
import { engineSchema } from '../engine-schema.js'
import type { CopyFinding, RowComparison } from '../model/sql-score.js'
import { compareWithTies, type RunQuery } from '../outcomes/compare-with-ties.js'
import { compareOutcomes, type OutcomeComparisonOptions } from '../outcomes/query-outcomes.js'
import type { RunAndCompareInput } from '../outcomes/run-and-compare.js'
import { analyzePair, isCopiedWhole } from './copy-requirements.js'

/** Two queries in one dialect, and how their results are compared. */
export type CopyPair = OutcomeComparisonOptions & Pick<RunAndCompareInput, 'expectedSql' | 'generatedSql'>

/** Runs pairs of queries on fuzzed copies of their engine's database. */
export interface CopyComparer {
  /**
   * Compares the pair, in the engine's dialect, on copies; undefined if copies are disabled. No pair is run
   * twice.
   */
  compare(engine: Engine, pair: CopyPair): Promise<CopyFinding | undefined>
  /** Starts to make copies that pairs will need. A failure is reported by the first of these pairs. */
  prepare(engine: Engine): void
}

export interface CopyComparerOptions {
  /** Number of copies each pair is run on; 0: none. */
  readonly count: number
  readonly seed: number
  /** Returns an engine whose copies are used if the pair's own engine cannot make any. */
  readonly source: () => Promise<Engine | undefined>
  readonly loadParser: () => Promise<SqlParser>
}

/** Number of findings kept: enough for the cases and twins of a large benchmark. */
const keptFindings = 2000

export function createCopyComparer(options: CopyComparerOptions): CopyComparer {
  const findings = new LRUCache<string, Promise<CopyFinding>>({ max: keptFindings })
  return {
    prepare(engine) {
      prepareCopies(engine, options).catch(() => undefined)
    },
    async compare(engine, pair) {
      if (options.count === 0) return undefined
      const key = JSON.stringify([
        engine.url,
        pair.expectedSql,
        pair.generatedSql,
        pair.order.order,
        pair.tolerance,
        pair.columns,
      ])
      const known = findings.get(key)
      if (known !== undefined) return known
      const finding = compareOrReportUnavailable(engine, pair, options)
      findings.set(key, finding)
      const found = await finding
      // The cause may be gone the next time.
      if (found.kind === 'unavailable') findings.delete(key)
      return found
    },
  }
}

/** Makes the copies of a database that is copied completely, whatever the pair. */
async function prepareCopies(engine: Engine, { count, seed }: CopyComparerOptions): Promise<void> {
  if (engine.copies === undefined || !isCopiedWhole(await engineSchema(engine))) return
  for (let index = 1; index <= count; index++) await engine.copies.open({ seed, index })
}

async function compareOrReportUnavailable(
  engine: Engine,
  pair: CopyPair,
  options: CopyComparerOptions,
): Promise<CopyFinding> {
  try {
    if (engine.copies === undefined) return await compareOnSourceCopies(engine, pair, options)
    return await compareOnCopies(engine, engine.copies, pair, options)
  } catch (error) {
    if (!(error instanceof AutotestError)) throw error
    return { kind: 'unavailable', reason: `no fuzzed copies: ${error.message}` }
  }
}

/**
 * Compares on copies of the database that the project configures for this. Its faults are reported as such.
 */
async function compareOnSourceCopies(
  engine: Engine,
  pair: CopyPair,
  options: CopyComparerOptions,
): Promise<CopyFinding> {
  try {
    const source = await options.source()
    if (source?.copies === undefined) {
      const kind = (source ?? engine).url.split(':')[0]
      return { kind: 'unavailable', reason: `no fuzzed copies can be made of ${kind}: databases` }
    }
    const carried = await translatePair(pair, engine.dialect, source.dialect)
    if (carried.kind !== 'pair') return carried
    // If it lacks a table, all its copies would fail without a message.
    const outcome = await source.query(carried.pair.expectedSql, pair.limits)
    if (outcome.kind !== 'rows') return sourceUnavailable(`expected_sql fails on it: ${outcome.message}`)
    return await compareOnCopies(source, source.copies, carried.pair, options)
  } catch (error) {
    if (!(error instanceof AutotestError)) throw error
    return sourceUnavailable(error.message)
  }
}

function sourceUnavailable(reason: string): CopyFinding {
  return { kind: 'unavailable', reason: `no fuzzed copies of scoring.fuzz_source: ${reason}`, isSource: true }
}

/** Translates the pair to the dialect of the source of copies. */
async function translatePair(
  pair: CopyPair,
  from: Dialect,
  to: Dialect,
): Promise<
  { readonly kind: 'pair'; readonly pair: CopyPair } | Extract<CopyFinding, { kind: 'unavailable' }>
> {
  const expected = await translateSql(pair.expectedSql, from, to)
  const generated = await translateSql(pair.generatedSql, from, to)
  if (expected.kind === 'sql' && generated.kind === 'sql') {
    // It is in the original dialect.
    const order = { ...pair.order, tieQuery: undefined }
    return {
      kind: 'pair',
      pair: { ...pair, order, expectedSql: expected.sql, generatedSql: generated.sql },
    }
  }
  return {
    kind: 'unavailable',
    reason: `the queries cannot be transpiled from ${from} to ${to} for fuzzed copies`,
  }
}

/** Minimal number of copies on which both results are not empty; with fewer a match proves nothing. */
const leastInformative = 2

/** Which rows get the greatest values in copies with injected values, from the last copy on. */
const maximaPlacements = ['others', 'asked'] as const

/**
 * Runs both queries on copies until one distinguishes them. A copy is no evidence if a query fails or both
 * results are empty, or if the expected rows themselves depend on the storage order of rows. The last two
 * copies also contain the values that the queries compare with: neither the database nor its other copies may
 * contain any.
 */
async function compareOnCopies(
  engine: Engine,
  copies: FuzzedCopies,
  pair: CopyPair,
  options: CopyComparerOptions,
): Promise<CopyFinding> {
  const { count, seed } = options
  const { values, tables, isConstant } = await analyzePair(engine, pair, await options.loadParser())
  const words = identifiersIn([pair.expectedSql, pair.generatedSql])
  // Making a copy takes most of the time, so the next one is made in the meantime: other pairs will need it
  // if this one does not.
  const open = (index: number): Promise<FuzzedCopy> => {
    const opening = copies.open({ seed, index, tables })
    opening.catch(() => undefined)
    return opening
  }
  let next = open(1)
  let informative = 0
  const seen: QueryOutcome[] = []
  for (let index = 1; index <= count; index++) {
    const opening = next
    if (index < count) next = open(index + 1)
    const copy = await opening
    const summit = maximaPlacements[count - index]
    const placed =
      summit === undefined || values.length === 0
        ? undefined
        : await copy.withValues(values, { identifiers: words, maximaIn: summit })
    try {
      const { title } = placed ?? copy
      const found = await compareOnCopy(placed ?? copy, pair)
      if (found.kind === 'differ')
        return { kind: 'refuted', copy: { index, seed, title }, comparison: found.comparison }
      if (found.kind === 'fails') return { ...found, copy: { index, seed, title } }
      if (found.kind !== 'match') continue
      informative++
      if (!lastDiffersFromFirst(seen, pair)) seen.push(found.expected)
    } finally {
      await placed?.close()
    }
  }
  if (informative < Math.min(leastInformative, count)) return { kind: 'weak', copies: count, informative }
  if (!isConstant && !lastDiffersFromFirst(seen, pair)) {
    seen.push(await engine.query(pair.expectedSql, pair.limits))
    // Rows that are the same on all data are also those of a constant.
    if (!lastDiffersFromFirst(seen, pair)) return { kind: 'weak', copies: count, informative: 0 }
  }
  return { kind: 'match', copies: count, informative }
}

/** Reports whether the last of some results differs from the first. */
function lastDiffersFromFirst(seen: readonly QueryOutcome[], pair: CopyPair): boolean {
  const [first] = seen
  const last = seen.at(-1)
  if (first === undefined || last === undefined || first === last) return false
  return compareOutcomes(first, last, unordered(pair)).kind !== 'match'
}

function unordered(pair: CopyPair): CopyPair {
  return { ...pair, order: { order: 'unordered', columnsIn: () => undefined } }
}

type CopyOutcome =
  | { readonly kind: 'match'; readonly expected: QueryOutcome }
  | { readonly kind: 'differ'; readonly comparison: RowComparison }
  | { readonly kind: 'fails'; readonly message: string }
  | { readonly kind: 'nothing' }

const inconclusive: CopyOutcome = { kind: 'nothing' }

/**
 * A copy may change the number of rows, so this error is expected; other failures may be caused by generated
 * values.
 */
const tooManyRows = /more than one row/iu

async function compareOnCopy(copy: CopyQueries, pair: CopyPair): Promise<CopyOutcome> {
  const expected = await copy.query(pair.expectedSql, pair.limits)
  if (expected.kind !== 'rows') return inconclusive
  const generated = await copy.query(pair.generatedSql, pair.limits)
  const query: RunQuery = (sql, limits) => copy.query(sql, limits)
  const results = await compareWithTies(expected, generated, pair, query)
  if (results.kind === 'match') return isUninformative(expected) ? inconclusive : { kind: 'match', expected }
  if (results.kind === 'generated_failed' && tooManyRows.test(results.message))
    return { kind: 'fails', message: results.message }
  if (results.kind !== 'mismatch') return inconclusive
  const rearranged = await copy.queryReordered(pair.expectedSql, pair.limits)
  return ignoreNondeterminism({ expected, generated, rearranged }, pair, results.comparison)
}

/** Keeps a difference only if the expected rows do not depend on the storage order of rows. */
function ignoreNondeterminism(
  outcomes: Record<'expected' | 'generated' | 'rearranged', QueryOutcome>,
  pair: CopyPair,
  comparison: RowComparison,
): CopyOutcome {
  const { expected, generated, rearranged } = outcomes
  const again = compareOutcomes(expected, rearranged, pair)
  if (again.kind === 'match') return { kind: 'differ', comparison }
  if (again.kind !== 'mismatch') return inconclusive
  if (pair.order.order === 'ordered') {
    const loose = unordered(pair)
    const results = compareOutcomes(expected, generated, loose)
    if (results.kind === 'match') return { kind: 'match', expected }
    return results.kind === 'mismatch'
      ? ignoreNondeterminism(outcomes, loose, results.comparison)
      : inconclusive
  }
  // Whichever of the tied rows come first, their number is determined by the query.
  const sameNumber = again.comparison.expectedRows === again.comparison.actualRows
  return sameNumber && comparison.expectedRows !== comparison.actualRows
    ? { kind: 'differ', comparison }
    : inconclusive
}

/** Reports whether there are no rows, or only NULLs and zeros: the counts and sums of no rows. */
function isUninformative(outcome: QueryOutcome): boolean {
  if (outcome.kind !== 'rows') return true
  return outcome.result.rows.every((row) => row.every(isNothing))
}

/** NULL or zero as any type of number; as a text only where it has decimals, since '0' may be a code. */
function isNothing(cell: Value): boolean {
  if (cell === null || cell === 0 || cell === 0n) return true
  if (typeof cell === 'string') return /^[-+]?0+\.0+$/.test(cell)
  return typeof cell === 'object' && cell.kind === 'decimal' && /^[-+]?0*\.?0*(?:e.*)?$/i.test(cell.text)
}
