import { readdirSync, truncateSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { removeFolders } from '../../e2e/sample.js'
import { append, benchmarkPath, benchmarkText, smallProject, userFiles } from '../../e2e/small-project.js'
import { finding } from './find-check.js'

afterEach(() => vi.unstubAllEnvs())
afterAll(removeFolders)

const configured = (text: string, more = {}): string =>
  smallProject({ 'autotest.config.yaml': text, ...more })

it('a database answers SELECT 1 in its child process', async () => {
  const dir = smallProject()
  expect(await finding('engine', dir)).toMatchObject({
    status: 'ok',
    detail: 'sqlite:shop.sqlite answers SELECT 1; 1 table',
  })
  expect(await finding('fixture', dir)).toBeUndefined()
  expect(await finding('other engines', dir)).toBeUndefined()
})

it('where none is configured, structure alone decides: a note', async () => {
  expect(await finding('engine', configured('kb: kb\n'))).toMatchObject({
    status: 'note',
    detail: 'none is configured: queries are compared by structure only',
    fix: expect.stringContaining('engine: duckdb:FILE'),
  })
})

it.each([
  ['sqlite:none.sqlite', 'database not found: none.sqlite'],
  ['duckdb:shop.sqlite', 'shop.sqlite is not a DuckDB database, or is corrupt'],
  ['sqlite:kb', 'kb is a folder, not a database'],
  ['oracle:shop', 'unknown engine "oracle:"'],
  ['postgres://me@127.0.0.1:1/shop', 'postgres://me@127.0.0.1:1/shop: no server answers at 127.0.0.1:1'],
])('%s is named as a run names it', async (url, detail) => {
  const row = await finding('engine', configured(`engine: ${url}\n`))
  expect(row).toMatchObject({ status: 'problem', detail, fix: expect.stringMatching(/engine|known/i) })
})

it('a database that is cut short', async () => {
  const dir = smallProject()
  truncateSync(join(dir, 'shop.sqlite'), 20_000)
  expect(await finding('engine', dir)).toMatchObject({
    status: 'problem',
    detail: expect.stringContaining('database disk image is malformed'),
  })
})

it.each(['sqlite', 'duckdb'])('a %s database that a run would build is built elsewhere', async (scheme) => {
  const dir = configured(`engine: ${scheme}:data/new.db\nfixture: data/new.sql\n`, {
    'data/new.sql': 'CREATE TABLE a (b INTEGER);\nCREATE TABLE c (d INTEGER);\n',
  })
  const before = userFiles(dir)
  expect(await finding('fixture', dir)).toMatchObject({
    status: 'ok',
    detail: 'data/new.sql: the first run builds the database',
  })
  expect(await finding('engine', dir)).toMatchObject({
    status: 'ok',
    detail: `${scheme}:data/new.db, built from data/new.sql, answers SELECT 1; 2 tables`,
  })
  expect(userFiles(dir)).toEqual(before)
  expect(readdirSync(join(dir, 'data'))).toEqual(['new.sql'])
})

it('a fixture that fails, and one that is missing', async () => {
  const broken = configured('engine: sqlite:new.db\nfixture: new.sql\n', { 'new.sql': 'CREATE TABL a;\n' })
  expect(await finding('engine', broken)).toMatchObject({
    status: 'problem',
    detail: expect.stringMatching(/^new\.sql: .*syntax error/),
  })
  const missing = configured('engine: sqlite:new.db\nfixture: new.sql\n')
  expect(await finding('fixture', missing)).toMatchObject({
    status: 'problem',
    detail: 'new.sql and the database built from it are missing',
    fix: expect.stringContaining('git checkout HEAD -- new.sql'),
  })
  expect(await finding('engine', missing)).toMatchObject({
    status: 'problem',
    detail: 'fixture not found: new.sql',
  })
  const built = configured('engine: sqlite:shop.sqlite\nfixture: new.sql\n')
  expect(await finding('fixture', built)).toMatchObject({ status: 'note' })
  expect(await finding('engine', built)).toMatchObject({ status: 'ok' })
})

it('databases that files of the benchmark name are looked at, too', async () => {
  const dir = smallProject({
    'benchmarks/more.yaml': `engine: sqlite:none.sqlite\n${benchmarkText.replaceAll('id: ', 'id: more_')}`,
  })
  expect(await finding('other engines', dir)).toMatchObject({
    status: 'problem',
    detail: 'sqlite:none.sqlite: database not found: none.sqlite',
  })
  append(dir, benchmarkPath, 'broken\n')
  expect(await finding('other engines', dir)).toBeUndefined()
})

it('a query service is asked', async () => {
  const answers = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ columns: [{ name: '1', type: 'integer' }], rows: [[1]] }))
  })
  await new Promise<void>((resolve) => answers.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(answers.address() as AddressInfo).port}/sql`
  const dir = configured(`engine: ${address}\ndialect: trino\n`)
  try {
    expect(await finding('engine', dir)).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining(`${address} answers SELECT 1`),
    })
  } finally {
    answers.closeAllConnections()
    await new Promise((resolve) => answers.close(resolve))
  }
  expect(await finding('engine', dir)).toMatchObject({
    status: 'problem',
    detail: expect.stringMatching(/127\.0\.0\.1.*ECONNREFUSED/),
  })
  expect(await finding('engine', configured(`engine: ${address}\n`))).toMatchObject({
    status: 'problem',
    detail: expect.stringContaining('needs a dialect'),
  })
})
