import type { Engine, QueryLimits } from '../../../src/engine/contract/engine.js'
import { AutotestError } from '../../../src/errors.js'

/** Short, so that what waits does not take the tests' time. */
export const busyLimits: QueryLimits = {
  timeoutMs: 1500,
  rows: 1000,
  bytes: 1_000_000,
  memoryBytes: 400_000_000,
}

/** Returns what became of each query, all asked at once: the kind of its outcome, or the code of its error. */
export async function outcomesOf(engine: Engine, queries: readonly string[]): Promise<readonly string[]> {
  return Promise.all(
    queries.map((sql) =>
      engine.query(sql, busyLimits).then(
        (outcome) => (outcome.kind === 'killed' ? `killed ${outcome.limit}` : outcome.kind),
        (error: unknown) => {
          if (error instanceof AutotestError) return error.code
          throw error
        },
      ),
    ),
  )
}

export function repeated<Value>(times: number, value: Value): Value[] {
  return Array.from({ length: times }, () => value)
}
