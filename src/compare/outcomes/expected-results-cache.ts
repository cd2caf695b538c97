import { LRUCache } from 'lru-cache'
import type { Engine, QueryLimits, QueryOutcome, Value } from '../../engine/contract/engine.js'

/** Outcomes of expected queries, cached so that retries do not run them again. */
export interface ExpectedResultsCache {
  /** Returns the outcome of a query on an engine, from memory if known. Throws what `Engine.query` throws. */
  outcome(engine: Engine, sql: string, limits: QueryLimits): Promise<QueryOutcome>
}

/**
 * Creates a cache of outcomes of at most this many bytes in all; the least recently used are dropped first.
 */
export function createExpectedResultsCache(maxBytes = 3_000_000): ExpectedResultsCache {
  const kept = new LRUCache<string, QueryOutcome>({ maxSize: maxBytes, sizeCalculation: sizeOf })
  return {
    async outcome(engine, sql, limits) {
      const key = `${engine.url}\0${sql}`
      const known = kept.get(key)
      if (known !== undefined) return known
      const outcome = await engine.query(sql, limits)
      // A query that was stopped may complete on a less busy machine.
      if (outcome.kind !== 'killed') kept.set(key, outcome)
      return outcome
    },
  }
}

/** Returns the approximate number of bytes in memory. */
function sizeOf(outcome: QueryOutcome): number {
  if (outcome.kind !== 'rows') return 200 + 2 * outcome.message.length
  const { columns, rows } = outcome.result
  return rows.reduce(
    (sum, row) => sum + row.reduce<number>((bytes, value) => bytes + 8 + valueSize(value), 64),
    200 * (columns.length + 1),
  )
}

function valueSize(value: Value): number {
  if (typeof value === 'string') return 24 + 2 * value.length
  if (typeof value === 'object' && value !== null) return 64 + 2 * value.text.length
  return 16
}
