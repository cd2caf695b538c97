import { LRUCache } from 'lru-cache'
import type { Engine, FuzzedCopies, FuzzedCopy, QueryOutcome } from '../../engine/contract/engine.js'
import { picksWinner } from '../../engine/fuzz/frequent-values.js'
import { identifiersIn } from '../../engine/fuzz/redistribute-values.js'
import type { Dialect } from '../../enums/dialect.js'
import { AutotestError } from '../../errors.js'
import { type ComparedLiteral, type SqlParser, translateSql } from '../../sql/index.js'
import { engineSchema } from '../engine-schema.js'
import type { CopyFinding } from '../model/sql-score.js'
import { endsMoreThanCopies } from '../outcomes/deadline-errors.js'
import { compareOutcomes } from '../outcomes/query-outcomes.js'
import { type CopyPair, compareOnCopy, unordered } from './compare-on-copy.js'
import { analyzePair, isCopiedWhole } from './copy-requirements.js'
import { createSampledCopies } from './sampled/sampled-copies.js'
import { createStagedSamples, type StagedSamplesOptions } from './sampled/staged-samples.js'
import { openReason, type RelevantHabit, relevantHabits } from './untried-values.js'

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
  /** Returns an engine whose copies are used if the pair's own engine cannot make any itself. */
  readonly source: () => Promise<Engine | undefined>
  /** Samples of servers, of which copies are made where there is no such engine. */
  readonly samples?: StagedSamplesOptions | undefined
  readonly loadParser: () => Promise<SqlParser>
}

/** Number of findings kept: enough for the cases and twins of a large benchmark. */
const keptFindings = 2000

export function createCopyComparer(options: CopyComparerOptions): CopyComparer {
  const findings = new LRUCache<string, Promise<CopyFinding>>({ max: keptFindings })
  const sampled = new Map<Engine, FuzzedCopies>()
  const samples = options.samples && createStagedSamples(options.samples)
  const copiesOf = (engine: Engine): FuzzedCopies | undefined => {
    const { loadParser } = options
    if (engine.copies !== undefined || samples === undefined || engine.samples === undefined)
      return engine.copies
    const known = sampled.get(engine) ?? createSampledCopies({ engine, samples, loadParser })
    sampled.set(engine, known)
    return known
  }
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
      const finding = compareOrReportUnavailable(engine, pair, options, copiesOf)
      findings.set(key, finding)
      // The cause may be gone the next time.
      const found = await finding.catch((error: unknown) => {
        findings.delete(key)
        throw error
      })
      if (found.kind === 'unavailable') findings.delete(key)
      return found
    },
  }
}

/** Makes the copies of a database that is copied completely, whatever the pair. */
async function prepareCopies(engine: Engine, { count, seed }: CopyComparerOptions): Promise<void> {
  if (engine.copies === undefined || !isCopiedWhole(await engineSchema(engine), engine)) return
  for (let index = 1; index <= count; index++) await engine.copies.open({ seed, index })
}

async function compareOrReportUnavailable(
  engine: Engine,
  pair: CopyPair,
  options: CopyComparerOptions,
  copiesOf: (engine: Engine) => FuzzedCopies | undefined,
): Promise<CopyFinding> {
  try {
    if (engine.copies === undefined) {
      const found = await compareOnSourceCopies(engine, pair, options, copiesOf)
      if (found !== undefined) return found
    }
    const copies = copiesOf(engine)
    if (copies !== undefined) return await compareOnCopies(engine, copies, pair, options)
    return {
      kind: 'unavailable',
      reason: `no fuzzed copies can be made of ${engine.url.split(':')[0]}: databases`,
    }
  } catch (error) {
    if (!isOfCopies(error)) throw error
    return { kind: 'unavailable', reason: `no fuzzed copies: ${error.message}` }
  }
}

/**
 * Compares on copies of the database that the project configures for this; undefined without one. Its faults are reported as
 * such.
 */
async function compareOnSourceCopies(
  engine: Engine,
  pair: CopyPair,
  options: CopyComparerOptions,
  copiesOf: (engine: Engine) => FuzzedCopies | undefined,
): Promise<CopyFinding | undefined> {
  try {
    const source = await options.source()
    if (source === undefined) return undefined
    const copies = copiesOf(source)
    if (copies === undefined) {
      const kind = source.url.split(':')[0]
      return { kind: 'unavailable', reason: `no fuzzed copies can be made of ${kind}: databases` }
    }
    const carried = await translatePair(pair, engine.dialect, source.dialect)
    if (carried.kind !== 'pair') return carried
    // If it lacks a table, all its copies would fail without a message.
    const outcome = await source.query(carried.pair.expectedSql, pair.limits)
    if (outcome.kind !== 'rows') return sourceUnavailable(`expected_sql fails on it: ${outcome.message}`)
    return await compareOnCopies(source, copies, carried.pair, options)
  } catch (error) {
    if (!isOfCopies(error)) throw error
    return sourceUnavailable(error.message)
  }
}

function isOfCopies(error: unknown): error is AutotestError {
  return error instanceof AutotestError && !endsMoreThanCopies.has(error.code)
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
  let oneSided: string | undefined
  let last: FuzzedCopy | undefined
  const seen: QueryOutcome[] = []
  for (let index = 1; index <= count; index++) {
    const opening = next
    if (index < count) next = open(index + 1)
    const copy = await opening
    const summit = maximaPlacements[count - index]
    const placed =
      summit === undefined || (values.length === 0 && !(summit === 'others' && picksWinner(words)))
        ? undefined
        : await copy.withValues(values, { identifiers: words, maximaIn: summit })
    try {
      const { title } = placed ?? copy
      const found = await compareOnCopy(placed ?? copy, pair)
      if (found.kind === 'differ')
        return { kind: 'refuted', copy: { index, seed, title }, comparison: found.comparison }
      if (found.kind === 'fails') return { ...found, copy: { index, seed, title } }
      if (found.kind === 'expected_fails')
        oneSided ??= `on fuzzed copy ${index} (${title}) expected_sql fails where the answer gives rows: ${found.message}`
      if (found.kind !== 'match') continue
      last = copy
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
  const reason = oneSided ?? (last && openReason(last, pair.expectedSql, pair.generatedSql, engine.dialect))
  if (reason !== undefined) return { kind: 'open', copies: count, reason }
  const rests = last === undefined ? [] : await habitsBehind(engine, last, pair, values, words)
  if (rests.length === 0) return { kind: 'match', copies: count, informative }
  const restsOn = rests.map(({ column, text }) => `${column}: ${text}`)
  const sampled = rests.find(({ isOfAllRows }) => !isOfAllRows)
  if (sampled === undefined) return { kind: 'match', copies: count, informative, restsOn }
  return {
    kind: 'open',
    copies: count,
    reason: `the rows would differ were it not for ${sampled.column}: ${sampled.text}, which is known of a sample alone`,
  }
}

/** Returns the habits of columns without which a copy tells the queries apart. */
async function habitsBehind(
  engine: Engine,
  copy: FuzzedCopy,
  pair: CopyPair,
  values: readonly ComparedLiteral[],
  identifiers: readonly string[],
): Promise<readonly RelevantHabit[]> {
  const untried = copy.untriedIn?.([pair.expectedSql, pair.generatedSql])
  const habits = await relevantHabits(engine, values, untried, pair.limits)
  if (habits.length === 0) return []
  const placed = await copy.withValues(values, { identifiers, maximaIn: 'asked', ignoresHabits: true })
  try {
    const { kind } = await compareOnCopy(placed, pair)
    return kind === 'differ' || kind === 'fails' ? habits : []
  } finally {
    await placed.close()
  }
}

/** Reports whether the last of some results differs from the first. */
function lastDiffersFromFirst(seen: readonly QueryOutcome[], pair: CopyPair): boolean {
  const [first] = seen
  const last = seen.at(-1)
  if (first === undefined || last === undefined || first === last) return false
  return compareOutcomes(first, last, unordered(pair)).kind !== 'match'
}
