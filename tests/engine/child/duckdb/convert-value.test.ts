import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { duckdbKind } from '../../../../src/engine/file/duckdb.js'
import { resultOf } from '../../../contracts/engine.contract.js'
import { limits } from '../../temporary-database.js'

describe('DuckDB values', () => {
  it.each([
    ["DATE '2025-11-01'", { kind: 'date', text: '2025-11-01' }],
    ["TIMESTAMP '2025-11-01 10:11:12'", { kind: 'timestamp', text: '2025-11-01 10:11:12' }],
    ["TIMESTAMP '2025-11-01 10:11:12.5'", { kind: 'timestamp', text: '2025-11-01 10:11:12.5' }],
    ["'2025-11-01 10:11:12'::TIMESTAMP_S", { kind: 'timestamp', text: '2025-11-01 10:11:12' }],
    ["'2025-11-01 10:11:12.25'::TIMESTAMP_MS", { kind: 'timestamp', text: '2025-11-01 10:11:12.25' }],
    [
      "'2025-11-01 10:11:12.123456789'::TIMESTAMP_NS",
      { kind: 'timestamp', text: '2025-11-01 10:11:12.123456789' },
    ],
    ["'2025-11-01 10:11:12+02'::TIMESTAMPTZ", { kind: 'timestamp', text: '2025-11-01 08:11:12+00' }],
    ['1.50::DECIMAL(10,2)', { kind: 'decimal', text: '1.50' }],
    ['-0.05::DECIMAL(38,2)', { kind: 'decimal', text: '-0.05' }],
    ['170141183460469231731687303715884105727::HUGEINT', 170141183460469231731687303715884105727n],
    ['7::HUGEINT', 7],
    ['sum(1)', 1],
    ['true', true],
    ["'nan'::DOUBLE", Number.NaN],
    ["'infinity'::DOUBLE", Infinity],
    ["'b'::ENUM('a', 'b')", 'b'],
    ["TIME '10:00:00'", { kind: 'other', type: 'TIME', text: '10:00:00' }],
    ['[1, 2]', { kind: 'other', type: 'INTEGER[]', text: '[1, 2]' }],
    ['\'{"a": 1}\'::JSON', '{"a": 1}'],
    ['NULL', null],
  ])('%s', async (expression, value) => {
    const engine = await valuesEngine()
    expect(resultOf(await engine.query(`SELECT ${expression}`, limits)).rows).toEqual([[value]])
  })

  const folder = mkdtempSync(join(tmpdir(), 'autotest-values-'))
  writeFileSync(join(folder, 'empty.sql'), 'CREATE TABLE t (x INTEGER);')
  let opened: ReturnType<typeof duckdbKind.open> | undefined
  const valuesEngine = () => {
    opened ??= duckdbKind.open('values.duckdb', {
      root: folder,
      fixture: 'empty.sql',
      concurrency: 1,
      memoryBytes: 400e6,
    })
    return opened
  }
  afterAll(async () => {
    await (await opened)?.close()
    rmSync(folder, { recursive: true, force: true })
  })
})
