import { AutotestError } from '../errors.js'
import type { Engine, QueryOutcome } from './contract/engine.js'

/** What an engine was asked during a run. */
export interface EngineUse {
  /** As it is shown, without secrets. */
  readonly url: string
  readonly queries: number
  /** Sum over the queries, in milliseconds, without the time in which they waited for others. */
  readonly ms: number
  /** As far as the engine says what it read. */
  readonly scannedBytes?: number | undefined
}

/** What all engines of a run together may do; absent: no limit. */
interface MeterLimit {
  readonly bytes?: number | undefined
  /** Sum of query times, in milliseconds. */
  readonly ms?: number | undefined
}

export interface EngineMeter {
  /** Returns the engine with its queries counted; throws `budget_exhausted` from them when the limit is reached. */
  measure(engine: Engine): Engine
  /** By address. */
  uses(): readonly EngineUse[]
}

/** Queries that run when the limit is reached still end: what a query reads is known only afterwards. */
export function createEngineMeter(limit: MeterLimit = {}): EngineMeter {
  const uses = new Map<string, EngineUse>()
  const add = (url: string, ms: number, scannedBytes: number | undefined): void => {
    const known = uses.get(url) ?? { url, queries: 0, ms: 0 }
    const bytes = scannedBytes === undefined ? known.scannedBytes : (known.scannedBytes ?? 0) + scannedBytes
    uses.set(url, {
      url,
      queries: known.queries + 1,
      ms: known.ms + ms,
      ...(bytes === undefined ? {} : { scannedBytes: bytes }),
    })
  }
  const check = (): void => {
    const all = [...uses.values()]
    const bytes = all.reduce((sum, { scannedBytes = 0 }) => sum + scannedBytes, 0)
    const ms = all.reduce((sum, use) => sum + use.ms, 0)
    if (limit.bytes !== undefined && bytes >= limit.bytes)
      throw exhausted(`${bytes} of ${limit.bytes} bytes were read`)
    if (limit.ms !== undefined && ms >= limit.ms)
      throw exhausted(`queries took ${Math.round(ms / 1000)} of ${limit.ms / 1000} s`)
  }
  const timed = async <Result>(
    { url }: Engine,
    work: () => Promise<Result>,
    known: (result: Result) => Pick<EngineUse, 'scannedBytes'> & { readonly ms?: number } = () => ({}),
  ): Promise<Result> => {
    check()
    const started = performance.now()
    let own: ReturnType<typeof known> = {}
    try {
      const result = await work()
      own = known(result)
      return result
    } finally {
      // It may have waited for its turn.
      add(url, own.ms ?? performance.now() - started, own.scannedBytes)
    }
  }
  return {
    measure(engine) {
      const { scratch } = engine
      return {
        ...engine,
        query: (sql, limits) => timed(engine, () => engine.query(sql, limits), useOf),
        ...(scratch === undefined
          ? {}
          : { scratch: { ...scratch, create: (table) => timed(engine, () => scratch.create(table)) } }),
      }
    },
    uses: () => [...uses.values()],
  }
}

function useOf(outcome: QueryOutcome): { readonly ms?: number; readonly scannedBytes?: number | undefined } {
  return outcome.kind === 'rows' ? outcome : {}
}

function exhausted(what: string): AutotestError {
  return new AutotestError('budget_exhausted', `--max-scan reached: ${what}`, {
    hint: 'Raise --max-scan or budget.scan, or select fewer cases.',
  })
}
