import { describe, expect, it } from 'vitest'
import type { Engine, QueryOutcome } from '../../src/engine/contract/engine.js'
import { createEngineMeter } from '../../src/engine/metered-engine.js'
import { limits } from './temporary-database.js'

/** An engine that reads 100 bytes for each query. */
function engineOf(url: string, scannedBytes: number | null = 100): Engine {
  const outcome: QueryOutcome = {
    kind: 'rows',
    ms: 1,
    ...(scannedBytes === null ? {} : { scannedBytes }),
    result: { columns: [], rows: [], cut: null },
  }
  return {
    url,
    dialect: 'trino',
    query: async (sql) => (sql === 'fails' ? { kind: 'failed', message: 'no' } : outcome),
    explain: async () => outcome,
    catalogue: async () => ({ tables: [] }),
    fingerprint: async () => '',
    close: async () => undefined,
  }
}

describe('what engines are asked is counted', () => {
  it('by address: queries, time, and bytes where the engine says them', async () => {
    const meter = createEngineMeter()
    const [one, other] = [meter.measure(engineOf('trino://a')), meter.measure(engineOf('postgres://b', null))]
    await one.query('SELECT 1', limits)
    await one.query('fails', limits)
    await other.query('SELECT 1', limits)
    expect(meter.uses()).toEqual([
      { url: 'trino://a', queries: 2, ms: expect.any(Number), scannedBytes: 100 },
      { url: 'postgres://b', queries: 1, ms: expect.any(Number) },
    ])
  })

  it('a query after the limit of bytes is not run', async () => {
    const meter = createEngineMeter({ bytes: 150 })
    const engine = meter.measure(engineOf('trino://a'))
    await engine.query('SELECT 1', limits)
    await engine.query('SELECT 1', limits)
    await expect(engine.query('SELECT 1', limits)).rejects.toMatchObject({
      code: 'budget_exhausted',
      message: '--max-scan reached: 200 of 150 bytes were read',
    })
    expect(meter.uses()[0]?.queries).toBe(2)
  })

  it('nor one after the limit of seconds, whichever engine took them', async () => {
    const meter = createEngineMeter({ ms: 0.000001 })
    await meter.measure(engineOf('trino://a')).query('SELECT 1', limits)
    await expect(meter.measure(engineOf('trino://b')).query('SELECT 1', limits)).rejects.toMatchObject({
      code: 'budget_exhausted',
    })
  })

  it('a copy that is written is counted as a query', async () => {
    const created: string[] = []
    const scratch = {
      schema: 'scratch',
      tables: async () => [],
      create: async ({ name }: { readonly name: string }) => void created.push(name),
      drop: async () => undefined,
    }
    const meter = createEngineMeter({ ms: 0.000001 })
    const engine = meter.measure({ ...engineOf('postgres://b'), scratch })
    await engine.scratch?.create({ name: 'a', columns: [], queries: [] })
    expect([created, meter.uses()]).toEqual([
      ['a'],
      [{ url: 'postgres://b', queries: 1, ms: expect.any(Number) }],
    ])
    await expect(engine.scratch?.create({ name: 'b', columns: [], queries: [] })).rejects.toMatchObject({
      code: 'budget_exhausted',
    })
  })
})
