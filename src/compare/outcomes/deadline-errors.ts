import type { CopyQueries, Engine, FuzzedCopies, QueryOutcome } from '../../engine/contract/engine.js'
import { AutotestError, type ErrorCode } from '../../errors.js'

/** An engine that others keep busy, a budget and a deadline say nothing about copies: they end what asked for them. */
export const endsMoreThanCopies: ReadonlySet<ErrorCode> = new Set([
  'budget_exhausted',
  'engine_busy',
  'query_timeout',
])

const wrapped = new WeakMap<Engine, Engine>()

/**
 * Returns the engine with queries on its copies that throw `query_timeout` when they are stopped at their deadline: how
 * fast a machine is says nothing about what a copy shows. Every other outcome is returned.
 */
export function throwingAtDeadline(engine: Engine): Engine {
  const known = wrapped.get(engine)
  if (known !== undefined) return known
  const { copies } = engine
  const made: Engine = copies === undefined ? engine : { ...engine, copies: throwingCopies(copies) }
  wrapped.set(engine, made)
  return made
}

/** Returns the outcome of a query that was not stopped at its deadline; throws `query_timeout` otherwise. */
export function finished<Outcome extends QueryOutcome | undefined>(outcome: Outcome): Outcome {
  if (outcome?.kind !== 'killed' || outcome.limit !== 'deadline') return outcome
  throw new AutotestError('query_timeout', `a query was ${outcome.message}`, {
    hint: 'Raise `limits.query_timeout`, or run it on a machine that is less busy.',
  })
}

function throwingCopies(copies: FuzzedCopies): FuzzedCopies {
  return {
    async open(spec) {
      const copy = await copies.open(spec)
      return {
        ...copy,
        ...throwingQueries(copy),
        async withValues(values, spread) {
          const placed = await copy.withValues(values, spread)
          return { ...placed, ...throwingQueries(placed) }
        },
      }
    },
    queryReordered: async (sql, limits, seed) => finished(await copies.queryReordered(sql, limits, seed)),
  }
}

function throwingQueries(copy: CopyQueries): Pick<CopyQueries, 'query' | 'queryReordered'> {
  return {
    query: async (sql, limits) => finished(await copy.query(sql, limits)),
    queryReordered: async (sql, limits, round) => finished(await copy.queryReordered(sql, limits, round)),
  }
}
