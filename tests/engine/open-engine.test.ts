import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { duckdbKind } from '../../src/engine/file/duckdb.js'
import { sqliteKind } from '../../src/engine/file/sqlite.js'
import { openEngine } from '../../src/engine/open-engine.js'
import { asOrdinaryUser } from '../ordinary-user.js'
import { limits, scratch } from './temporary-database.js'

const kinds = [duckdbKind, sqliteKind]
const open = (url: string, root = scratch()) =>
  openEngine(url, kinds, { root, concurrency: 1, memoryBytes: 400e6 })

describe('an engine URL', () => {
  it('with a misspelt scheme names the nearest and all known ones', async () => {
    await expect(open('sqlit:shop.db')).rejects.toMatchObject({
      code: 'engine_unknown',
      message: 'unknown engine "sqlit:"',
      hint: 'Did you mean "sqlite:"? Known: duckdb:, sqlite:',
    })
  })

  it('of an unknown engine is refused without printing its password', async () => {
    const error = await open('oracle://me:hunter2@host/db').catch((thrown) => thrown)
    expect(error.code).toBe('engine_unknown')
    expect(error.hint).toContain('Known: duckdb:')
    expect(error.message + error.hint).not.toContain('hunter2')
  })

  it.each(['shop.duckdb', 'sqlite:'])('%j is refused with the expected form', async (url) => {
    await expect(open(url)).rejects.toMatchObject({
      code: 'engine_unknown',
      hint: expect.stringContaining(':'),
    })
  })
})

describe.each(kinds)('a $scheme database', (kind) => {
  const unavailable = (message: string) => ({ code: 'engine_unavailable', message, hint: expect.any(String) })

  it('that is absent is named as configured', async () => {
    await expect(open(`${kind.scheme}:data/shop.db`)).rejects.toMatchObject(
      unavailable('database not found: data/shop.db'),
    )
  })

  it('that is a folder is refused', async () => {
    const root = scratch()
    mkdirSync(join(root, 'data'))
    await expect(open(`${kind.scheme}:data`, root)).rejects.toMatchObject(
      unavailable('data is a folder, not a database'),
    )
  })

  it.each([
    ['text', 'not a database at all, only words'],
    ['nothing', ''],
  ])('that holds %s is refused', async (_, content) => {
    const root = scratch()
    writeFileSync(join(root, 'x.db'), content)
    await expect(open(`${kind.scheme}:x.db`, root)).rejects.toMatchObject(
      unavailable(expect.stringContaining('x.db is not a')),
    )
  })

  it('that may not be read is refused', async () => {
    const root = scratch()
    writeFileSync(join(root, 'x.db'), 'x')
    chmodSync(join(root, 'x.db'), 0)
    await asOrdinaryUser(root, () =>
      expect(open(`${kind.scheme}:x.db`, root)).rejects.toMatchObject(
        unavailable('no permission to read x.db'),
      ),
    )
  })

  it('keeps the secrets of the environment from its process', async () => {
    const root = scratch()
    writeFileSync(join(root, 's.sql'), 'CREATE TABLE t (x INTEGER);')
    const engine = await kind.open('x.db', { root, fixture: 's.sql', concurrency: 1, memoryBytes: 400e6 })
    expect(await engine.query("SELECT getenv('PATH')", limits)).toMatchObject({ kind: 'failed' })
    expect(engine.url).toBe(`${kind.scheme}:x.db`)
    expect(engine.dialect).toBe(kind.dialect)
    await engine.close()
  })
})
