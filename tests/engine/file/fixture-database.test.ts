import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { EngineOptions } from '../../../src/engine/contract/engine-kind.js'
import { duckdbKind } from '../../../src/engine/file/duckdb.js'
import { sqliteKind } from '../../../src/engine/file/sqlite.js'
import { resultOf } from '../../contracts/engine.contract.js'
import { limits, scratch } from '../temporary-database.js'

const firstScript = 'CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1);'
const secondScript = 'CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (2);'

describe.each([sqliteKind, duckdbKind])('a $scheme database with a script', (kind) => {
  function project(script: string) {
    const root = scratch()
    const write = (text: string) => writeFileSync(join(root, 'shop.sql'), text)
    write(script)
    const told: string[] = []
    const options: EngineOptions = {
      root,
      fixture: 'shop.sql',
      concurrency: 1,
      memoryBytes: 400e6,
      onNote: (text) => told.push(text),
    }
    /** Opens, reads the one value, closes. */
    const read = async () => {
      const engine = await kind.open('data/shop.db', options)
      onTestFinished(() => engine.close())
      const { rows } = resultOf(await engine.query('SELECT x FROM t', limits))
      await engine.close()
      return rows
    }
    return { root, write, told, read, files: () => readdirSync(join(root, 'data')).sort() }
  }

  it('is built where it is absent, with a line of progress, and only then', async () => {
    const { told, read, files } = project(firstScript)
    expect(await read()).toEqual([[1]])
    expect(await read()).toEqual([[1]])
    expect(told).toEqual(['building data/shop.db from shop.sql'])
    expect(files()).toEqual(['shop.db', 'shop.db.fixture'])
  })

  it('is built again when the script has changed', async () => {
    const { write, told, read } = project(firstScript)
    await read()
    write(secondScript)
    expect(await read()).toEqual([[2]])
    expect(told).toHaveLength(2)
  })

  it('is never overwritten when it was not made here', async () => {
    const { root, write, told, read } = project(firstScript)
    await read()
    rmSync(join(root, 'data/shop.db.fixture'))
    write(secondScript)
    expect(await read()).toEqual([[1]])
    expect(told).toHaveLength(1)
  })

  it('is used as it is when the script is gone', async () => {
    const { root, read } = project(firstScript)
    await read()
    rmSync(join(root, 'shop.sql'))
    expect(await read()).toEqual([[1]])
  })

  it('leaves nothing behind when the script fails, and names the script', async () => {
    const { read, files } = project(`${firstScript} INSERT INTO nope VALUES (1);`)
    await expect(read()).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringMatching(/^shop\.sql: .*nope/),
    })
    expect(files()).toEqual([])
  })

  it.each([
    ["ATTACH 'other.db' AS other;"],
    [kind === sqliteKind ? "VACUUM INTO 'other.db';" : "COPY t TO 'other.db';"],
  ])('may not reach for other files by %s', async (statement) => {
    const { read, files } = project(`-- attach, vacuum\n${firstScript} ${statement}`)
    await expect(read()).rejects.toMatchObject({ code: 'engine_unavailable' })
    expect(files()).toEqual([])
    expect(existsSync('other.db')).toBe(false)
  })

  it('may say "attach" in a text or a comment', async () => {
    const { read } = project(
      `/* attach */ CREATE TABLE t (x VARCHAR(30)); INSERT INTO t VALUES ('attach it''s vacuum');`,
    )
    expect(await read()).toEqual([["attach it's vacuum"]])
  })

  it('that neither exists nor has its script names the script', async () => {
    const { root, read } = project(firstScript)
    rmSync(join(root, 'shop.sql'))
    await expect(read()).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: 'fixture not found: shop.sql',
    })
  })

  it('is cleared of the files that a killed builder left', async () => {
    const { root, read, files } = project(firstScript)
    mkdirSync(join(root, 'data'))
    const dead = spawn(process.execPath, ['-e', ''])
    await new Promise((done) => dead.once('exit', done))
    writeFileSync(join(root, `data/shop.db.${dead.pid}.abc123.tmp`), 'half')
    writeFileSync(join(root, `data/shop.db.${process.pid}.abc123.tmp`), 'under way')
    await read()
    expect(files()).toEqual(['shop.db', `shop.db.${process.pid}.abc123.tmp`, 'shop.db.fixture'].sort())
  })

  it('is whole when two processes build it at once', async () => {
    const { root, files } = project(firstScript)
    const module = pathToFileURL(resolve(`build/modules/engine/file/${kind.scheme}.js`)).href
    writeFileSync(
      join(root, 'open.mjs'),
      `import { ${kind.scheme}Kind as kind } from '${module}'
       const engine = await kind.open('data/shop.db', { root: '${root}', fixture: 'shop.sql', concurrency: 1, memoryBytes: 4e8 })
       const outcome = await engine.query('SELECT x FROM t', ${JSON.stringify(limits)})
       console.log(outcome.result.rows[0][0])
       await engine.close()`,
    )
    const outputs = await Promise.all([output(join(root, 'open.mjs')), output(join(root, 'open.mjs'))])
    expect(outputs).toEqual(['1', '1'])
    expect(files()).toEqual(['shop.db', 'shop.db.fixture'])
    expect(readFileSync(join(root, 'data/shop.db.fixture'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  })
})

async function output(script: string): Promise<string> {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) text += chunk
  return text.trim()
}
