import type { QueryLimits, QueryOutcome, ResultSet } from '../../engine/contract/engine.js'
import type { Dialect } from '../../enums/dialect.js'
import { type ColumnMode, planColumns } from '../columns/column-mapping.js'
import type { ResultFinding } from '../model/sql-score.js'
import { compareResults } from '../results/compare-results.js'
import { type BucketSums, differingBuckets, mayMatch, readBuckets, total } from './bucket-sums.js'
import { type ComparedColumn, comparedColumn, type InsideDialect, insideDialectOf } from './inside-dialect.js'

/** The engine that both queries run on. */
export interface InsideEngine {
  readonly dialect: Dialect
  query(sql: string, limits: QueryLimits): Promise<QueryOutcome>
  explain(sql: string, limits: QueryLimits): Promise<QueryOutcome>
}

export interface InsidePair {
  readonly expectedSql: string
  readonly generatedSql: string
  readonly limits: QueryLimits
  /** Whether the order of rows counts. */
  readonly order: { readonly order: 'ordered' | 'unordered' }
  readonly tolerance: number
  readonly columns: ColumnMode | undefined
}

type Cut = Extract<ResultFinding, { readonly kind: 'cut' }>

/** Buckets of one pass, as a power of two: with a million rows, each has some 250. */
const bucketBits = 12
/** A bucket with more rows is divided once more, at most so often. */
const fewRows = 2000
const deepest = 4
const largestFetch = 20_000

/** One side: its query, and the columns of the other in its order. */
interface Side {
  readonly sql: string
  readonly width: number
  /** For each compared column, its place. */
  readonly places: readonly number[]
}

interface Comparison {
  readonly engine: InsideEngine
  readonly dialect: InsideDialect
  readonly pair: InsidePair
  readonly columns: readonly ComparedColumn[]
  readonly sides: readonly [Side, Side]
}

/**
 * Compares results that are too large to be read, in the engine: rows are hashed and added up by bucket, whatever their order;
 * buckets that differ are divided until few rows are left, and only these are read. Equal sums of hashes are equal rows.
 * Numbers that are not whole are equal within the tolerance where the rows that differ can be read; else only their sums
 * are compared, which proves nothing. Returns `cut` as it is where the engine cannot do this.
 */
export async function compareInsideEngine(
  engine: InsideEngine,
  pair: InsidePair,
  cut: Cut,
): Promise<ResultFinding> {
  const comparison = await prepare(engine, pair)
  if (comparison === undefined) return cut
  const sums = await readSums(comparison, top)
  if (sums === undefined) return cut
  const { expected, generated } = sums
  const unproven = (what: string): ResultFinding => ({
    ...cut,
    inside: true,
    message: `${cut.message}; compared inside the engine, ${what}`,
  })
  const differing = differingBuckets(expected, generated)
  const fetched = differing.length === 0 ? nothing : await readDifferences(comparison, differing, sums)
  if (fetched === undefined) return unproven('rows differ that could not be read')
  const found = compareResults(fetched.expected, fetched.generated, {
    order: 'unordered',
    tolerance: pair.tolerance,
    columns: 'position',
  })
  const { names, isOpen } = comparison
  const rows = { columns: names, expectedRows: total(expected), actualRows: total(generated) }
  if (found.match && fetched.isAll) {
    // Nobody has seen in which order the rows are.
    return pair.order.order === 'ordered'
      ? unproven('all rows agree, whose order was not looked at')
      : { kind: 'match', comparison: { ...found, ...rows }, empty: false }
  }
  if (found.match) return unproven('exact columns agree, and the sums of the others within the tolerance')
  // Another pairing of the columns may agree.
  if (isOpen) return unproven('columns of other names, paired by position, differ')
  const untried = fetched.isAll ? {} : { untried: 'only some of the rows that differ were read' }
  return { kind: 'mismatch', comparison: { ...found, ...rows, ...untried } }
}

const nothing: Fetched = {
  expected: { columns: [], rows: [], cut: null },
  generated: { columns: [], rows: [], cut: null },
  isAll: true,
}

type Prepared = Comparison & {
  readonly isOpen: boolean
  /** Names of the expected columns. */
  readonly names: readonly string[]
}

/** Returns how the results are compared; undefined where the engine or a type does not allow it. */
async function prepare(engine: InsideEngine, pair: InsidePair): Promise<Prepared | undefined> {
  const dialect = insideDialectOf(engine.dialect)
  if (dialect === undefined) return undefined
  const [expected, generated] = await Promise.all(
    [pair.expectedSql, pair.generatedSql].map((sql) => engine.explain(sql, pair.limits)),
  )
  if (expected?.kind !== 'rows' || generated?.kind !== 'rows') return undefined
  const [left, right] = [expected.result.columns, generated.result.columns]
  const names = left.map(({ name }) => name)
  const plan = planColumns(
    names,
    right.map(({ name }) => name),
    pair.columns ?? 'auto',
  )
  if (plan.kind === 'mismatch') return undefined
  const columns = left.flatMap((column, at) => {
    const other = right[plan.mapping[at] ?? -1]
    return (other && comparedColumn(column, other, dialect)) ?? []
  })
  if (columns.length !== left.length) return undefined
  const side = (sql: string, width: number, places: readonly number[]): Side => ({
    sql: sql.replace(/[\s;]+$/u, ''),
    width,
    places,
  })
  return {
    engine,
    dialect,
    pair,
    columns,
    names,
    isOpen: plan.kind === 'open',
    sides: [
      side(
        pair.expectedSql,
        left.length,
        left.map((_, at) => at),
      ),
      side(pair.generatedSql, right.length, plan.mapping),
    ],
  }
}

function run({ engine, pair }: Comparison): (sql: string, rows?: number) => Promise<ResultSet | undefined> {
  return async (sql, rows = 2 ** bucketBits + 1) => {
    const outcome = await engine.query(sql, { ...pair.limits, rows })
    return outcome.kind === 'rows' && outcome.result.cut === null ? outcome.result : undefined
  }
}

interface Sums {
  readonly expected: BucketSums
  readonly generated: BucketSums
}

async function readSums(comparison: Comparison, where: Where): Promise<Sums | undefined> {
  const [expected, generated] = await Promise.all(
    comparison.sides.map((side) => readBuckets(sumsQuery(side, comparison, where), run(comparison))),
  )
  return expected === undefined || generated === undefined ? undefined : { expected, generated }
}

/** Which buckets a query is about: of the level above, and within them. */
interface Where {
  readonly shift: number
  readonly within: readonly { readonly shift: number; readonly buckets: readonly number[] }[]
}

const top: Where = { shift: 0, within: [] }

function cellsOf(columns: readonly ComparedColumn[], kind: ComparedColumn['kind'] | undefined): string[] {
  return columns.flatMap((column, at) =>
    kind === undefined || column.kind === kind ? [column.normalized(`c${at}`)] : [],
  )
}

/** Returns the rows of a side with its columns in the order of the expected ones, named c0, c1 and so on. */
function source({ sql, width, places }: Side): string {
  const given = Array.from({ length: width }, (_, at) => `g${at}`)
  const arranged = places.map((place, at) => `g${place} AS c${at}`)
  return `SELECT ${arranged.join(', ')} FROM (\n${sql}\n) AS autotest_given(${given.join(', ')})`
}

/** Returns the rows of a side with the hash of their exact columns, and conditions on it. */
function hashed(side: Side, { columns, dialect }: Comparison, { within }: Where): string {
  const key = dialect.hash(cellsOf(columns, 'exact'))
  const where = within.map(
    ({ shift, buckets }) => `${dialect.bucket('autotest_key', bucketBits, shift)} IN (${buckets.join(', ')})`,
  )
  const rows = `SELECT autotest_rows.*, ${key} AS autotest_key FROM (${source(side)}) AS autotest_rows`
  return where.length === 0 ? rows : `SELECT * FROM (${rows}) AS autotest_hashed WHERE ${where.join(' AND ')}`
}

function sumsQuery(side: Side, comparison: Comparison, where: Where): string {
  const { columns, dialect } = comparison
  const sums = columns.flatMap((column, at) => {
    if (column.kind !== 'number') return []
    const double = column.asDouble(`c${at}`)
    return [`sum(${double})`, `sum(abs(${double}))`]
  })
  const bucket = dialect.bucket('autotest_key', bucketBits, where.shift)
  const all = sums.length === 0 ? 'autotest_key' : dialect.hash(cellsOf(columns, undefined))
  return `SELECT ${[bucket, 'count(*)', dialect.sumOfHashes('autotest_key'), dialect.sumOfHashes(all), ...sums].join(', ')}
    FROM (${hashed(side, comparison, where)}) AS autotest_keyed GROUP BY 1`
}

function rowsQuery(side: Side, comparison: Comparison, where: Where): string {
  const list = comparison.columns.map((_, at) => `c${at}`).join(', ')
  return `SELECT ${list} FROM (${hashed(side, comparison, where)}) AS autotest_keyed`
}

/** Rows of some buckets: a row and its counterpart are in one, since their exact columns are equal. */
interface Fetched {
  readonly expected: ResultSet
  readonly generated: ResultSet
  /** Whether these are all the rows that differ. */
  readonly isAll: boolean
}

/** Reads the rows of the buckets that differ, or of a part of one of them where these are too many. */
async function readDifferences(
  comparison: Comparison,
  differing: readonly number[],
  first: Sums,
): Promise<Fetched | undefined> {
  let sums = first
  let buckets = differing
  const within: { shift: number; buckets: readonly number[] }[] = []
  const size = (some: readonly number[]): number =>
    Math.max(total(sums.expected, some), total(sums.generated, some))
  if (size(buckets) <= largestFetch)
    return fetchRows(comparison, { shift: 0, within: [{ shift: 0, buckets }] }, true)
  for (let level = 0; level < deepest; level++) {
    const shift = level * bucketBits
    const { expected, generated } = sums
    // One that no tolerance explains is the best evidence.
    const certain = buckets.filter(
      (bucket) => !mayMatch(expected.get(bucket), generated.get(bucket), comparison.pair.tolerance),
    )
    const [smallest] = (certain.length === 0 ? buckets : certain).toSorted((a, b) => size([a]) - size([b]))
    if (smallest === undefined) return undefined
    within.push({ shift, buckets: [smallest] })
    if (size([smallest]) <= fewRows) return fetchRows(comparison, { shift, within }, false)
    const divided = await readSums(comparison, { shift: shift + bucketBits, within })
    if (divided === undefined) return undefined
    sums = divided
    buckets = differingBuckets(sums.expected, sums.generated)
  }
  return undefined
}

async function fetchRows(comparison: Comparison, where: Where, isAll: boolean): Promise<Fetched | undefined> {
  const [expected, generated] = await Promise.all(
    comparison.sides.map((side) => run(comparison)(rowsQuery(side, comparison, where), largestFetch)),
  )
  return expected === undefined || generated === undefined ? undefined : { expected, generated, isAll }
}
