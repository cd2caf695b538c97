import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Engine, FuzzedCopy } from '../../../src/engine/contract/engine.js'
import { ignorePermissionErrors, staleFolders } from '../../../src/engine/copies/fuzzed-copies-cache.js'
import { sqliteKind } from '../../../src/engine/file/sqlite.js'
import { openScript, scratch } from '../temporary-database.js'

/** Tables with every kind of constraint, in the SQL that both engines read. */
const script = `
  CREATE TABLE shops (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, city VARCHAR, code VARCHAR UNIQUE);
  CREATE TABLE staff (
    id INTEGER PRIMARY KEY, shop INTEGER NOT NULL REFERENCES shops (id), boss INTEGER REFERENCES staff (id),
    hired DATE, wage DECIMAL(8, 2) NOT NULL, bonus DECIMAL(8, 2), CHECK (bonus < wage)
  );
  CREATE TABLE shifts (staff INTEGER REFERENCES staff (id), day DATE, hours DOUBLE, PRIMARY KEY (staff, day));
  CREATE VIEW busy AS SELECT staff, count(*) AS days FROM shifts GROUP BY staff;
  INSERT INTO shops VALUES (1, 'North', 'Oslo', 'N'), (2, 'South', 'Rome', 'S'), (3, 'East', NULL, 'E');
  INSERT INTO staff VALUES (1, 1, NULL, '2020-01-15', 100.50, 20);
  INSERT INTO staff VALUES (2, 1, 1, '2021-03-01', 90, 10), (3, 2, 1, '2022-07-31', 80, NULL), (4, 2, 1, NULL, 70, 5);
  INSERT INTO shifts VALUES (1, '2024-01-01', 7.5), (1, '2024-01-02', 8), (2, '2024-01-01', 4), (3, '2024-02-29', 6.25);
`

function copyOf(engine: Engine, index: number, seed = 1): Promise<FuzzedCopy> {
  if (engine.copies === undefined) throw new Error(`${engine.url} makes no copies`)
  return engine.copies.open({ seed, index })
}

describe('stale copies', () => {
  const hourMs = 3_600_000
  const now = 100 * hourMs
  const folder = (name: string, ageHours: number, bytes = 1e6) => ({
    name,
    bytes,
    usedAtMs: now - ageHours * hourMs,
  })

  it('are those that were used longest ago, beyond the few that are kept', () => {
    const folders = [folder('own', 0), folder('a', 5), folder('b', 2), folder('c', 9), folder('d', 3)]
    expect(staleFolders(folders, 'own', now)).toEqual(['c'])
  })

  it('are those that take too much room, but never what may be in use', () => {
    const folders = [folder('own', 0, 4e8), folder('a', 2, 4e8), folder('b', 3, 4e8), folder('c', 0.5, 9e9)]
    expect(staleFolders(folders, 'own', now)).toEqual(['b'])
  })

  it.each(['EPERM', 'EACCES', 'EROFS'])('of another user are left alone (%s)', (code) => {
    expect(() => ignorePermissionErrors(Object.assign(new Error(), { code }))).not.toThrow()
    expect(() => ignorePermissionErrors(Object.assign(new Error(), { code: 'EIO' }))).toThrow()
  })

  it('are removed where a run that was killed left them unfinished', async () => {
    const root = scratch()
    const engine = await openScript(sqliteKind, root, script)
    await copyOf(engine, 1)
    const cache = join(root, '.autotest', 'fuzz')
    const own = join(cache, readdirSync(cache)[0] ?? '')
    const names = [
      'seed-1-copy-5-values-9-ab.tmp',
      'seed-1-copy-2.db.9.abc.tmp',
      'seed-1-copy-2.db.8.abc.tmp',
    ]
    for (const name of names) writeFileSync(join(own, name), '')
    for (const name of names.slice(0, 2)) utimesSync(join(own, name), new Date(1e12), new Date(1e12))
    await copyOf(await openScript(sqliteKind, root, script), 1)
    expect(readdirSync(own).sort()).toEqual(['seed-1-copy-1.db', 'seed-1-copy-2.db.8.abc.tmp'])
  })

  it('are removed when copies of another state of the database are made', async () => {
    const root = scratch()
    const old = ['1', '2', '3', '4'].map((name) => join(root, '.autotest', 'fuzz', name))
    for (const [at, path] of old.entries()) {
      mkdirSync(path, { recursive: true })
      utimesSync(path, new Date(1e12), new Date(1e12 + at * 1000))
    }
    await copyOf(await openScript(sqliteKind, root, script), 1)
    expect(old.map((path) => existsSync(path))).toEqual([false, true, true, true])
  })
})
