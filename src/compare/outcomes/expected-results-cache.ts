import { LRUCache } from 'lru-cache'
import type { Engine, QueryLimits, QueryOutcome, Value } from '../../engine/contract/engine.js'

/** Outcomes of expected queries, kept so that retries do not run them again. */
export interface ExpectedResultsCache {
  /** The outcome of a query on an engine, from memory where it is known. Throws what `Engine.query` throws. */
  outcome(engine: Engine, sql: string, limits: QueryLimits): Promise<QueryOutcome>
}

/** Outcomes worth less than this many bytes together, least recently used ones dropped first. */
export function createExpectedResultsCache(maxBytes = 3_000_000): ExpectedResultsCache {
  const kept = new LRUCache<string, QueryOutcome>({ maxSize: maxBytes, sizeCalculation: sizeOf })
  return {
    async outcome(engine, sql, limits) {
      const key = `${engine.url}\0${sql}`
      const known = kept.get(key)
      if (known !== undefined) return known
      const outcome = await engine.query(sql, limits)
      // A query that was stopped may get through on a quieter machine.
      if (outcome.kind !== 'killed') kept.set(key, outcome)
      return outcome
    },
  }
}

/** Bytes in memory, roughly. */
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
