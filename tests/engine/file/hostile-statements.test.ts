import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine, QueryLimits } from '../../../src/engine/contract/engine.js'
import { duckdbKind } from '../../../src/engine/file/duckdb.js'
import { sqliteKind } from '../../../src/engine/file/sqlite.js'
import { Sqlite as Database } from '../../../src/platform/sqlite.js'
import { resultOf } from '../../contracts/engine.contract.js'
import { needsShared } from '../../needs.js'

interface HostileItem {
  readonly id: string
  readonly engine: string
  readonly sql: string
  readonly expect: 'deny' | 'limit' | 'allow'
}

const source = '../shared/hostile/sql.json'
const present = existsSync(source)
const items: readonly HostileItem[] = present ? JSON.parse(readFileSync(source, 'utf8')).items : []

const limits: QueryLimits = { timeoutMs: 1000, rows: 1000, bytes: 1_000_000, memoryBytes: 256_000_000 }
const script = {
  sqlite:
    'CREATE TABLE a (x INTEGER, y INTEGER); INSERT INTO a WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99) SELECT i, i FROM n;',
  duckdb: 'CREATE TABLE a AS SELECT range AS x, range AS y FROM range(100);',
}

/** Every file below a folder with its hash: what a statement must leave as it was. */
function fingerprints(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return Object.fromEntries(
    files.map((file) => {
      const path = join(file.parentPath, file.name)
      return [path, createHash('sha256').update(readFileSync(path)).digest('hex')]
    }),
  )
}

/** Files outside the database's folder that the statements name, some of them to write them. */
const targets = items.flatMap(({ sql }) =>
  [...sql.matchAll(/'([^'\s]+[./][^'\s]+)'/g)].map(([, path = '']) => path),
)

describe.each([sqliteKind, duckdbKind])('hostile statements on $scheme', (kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-hostile-'))
  let engine: Engine

  beforeAll(async () => {
    writeFileSync(join(folder, 'a.sql'), kind === sqliteKind ? script.sqlite : script.duckdb)
    const secret = new Database(join(folder, 'secret.db'))
    secret.exec("CREATE TABLE s AS SELECT 'secret' AS word")
    secret.close()
    engine = await kind.open('a.db', {
      root: folder,
      fixture: 'a.sql',
      concurrency: 1,
      memoryBytes: limits.memoryBytes,
    })
  })
  afterAll(async () => {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const own = items.filter((item) => item.engine === kind.scheme)
  it('are present', needsShared('hostile/sql.json'), () => {
    expect(own.length).toBeGreaterThan(10)
  })

  it.each(own)('$id is met with $expect: $sql', async (item) => {
    const before = fingerprints(folder)
    const there = targets.filter((path) => existsSync(path))
    const outcome = await engine.query(item.sql, limits)

    if (item.expect === 'deny') expect(['refused', 'failed']).toContain(outcome.kind)
    else if (item.expect === 'allow') expect(outcome.kind).toBe('rows')
    else
      expect(outcome.kind === 'killed' || (outcome.kind === 'rows' && outcome.result.cut !== null)).toBe(true)

    expect(fingerprints(folder)).toEqual(before)
    expect(targets.filter((path) => existsSync(path))).toEqual(there)
    expect(resultOf(await engine.query('SELECT count(*), sum(x) FROM a', limits)).rows).toEqual([[100, 4950]])
  })
})
