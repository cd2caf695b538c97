import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Engine } from '../../../src/engine/contract/engine.js'
import type { EngineOptions } from '../../../src/engine/contract/engine-kind.js'
import { sqliteKind } from '../../../src/engine/file/sqlite.js'
import { httpKind } from '../../../src/engine/http/http.js'
import { openEngine } from '../../../src/engine/open-engine.js'
import { contractScript, engineContract, resultOf } from '../../contracts/engine.contract.js'
import { limits } from '../temporary-database.js'
import { type QueryService, type ServiceSettings, startService } from './query-service.js'

const secret = 'tok-4711-secret'
let root: string
let backend: Engine
let shared: QueryService

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'autotest-http-'))
  writeFileSync(join(root, 'items.sql'), contractScript)
  const options = { root, fixture: 'items.sql', concurrency: 4, memoryBytes: 1e9 }
  backend = await sqliteKind.open('items.db', options)
  shared = await startService({ engine: backend, token: secret })
})

afterAll(async () => {
  await shared?.close()
  await backend?.close()
  rmSync(root, { recursive: true, force: true })
})

function options(more: Partial<EngineOptions> = {}): EngineOptions {
  return {
    root,
    concurrency: 2,
    memoryBytes: 1e9,
    dialect: 'sqlite',
    token: { variable: 'SHOP_TOKEN', value: secret },
    ...more,
  }
}

engineContract('http', {
  open: (concurrency) => httpKind.open(shared.address, options({ concurrency })),
  forbidden: ['PRAGMA user_version', 'CALL something()', 'SELECT 1 /* ; */; SELECT 2'],
})

/** A service of its own with an engine on it, both ended with the test. */
async function serve(
  settings: Partial<ServiceSettings> = {},
  more: Partial<EngineOptions> = {},
): Promise<{ service: QueryService; open: () => Promise<Engine> }> {
  const service = await startService({ engine: backend, ...settings })
  onTestFinished(() => service.close())
  const open = async () => {
    const engine = await httpKind.open(service.address, options(more))
    onTestFinished(() => engine.close())
    return engine
  }
  return { service, open }
}

/** Answers every request but the first, which proves that the service is there, with this body. */
function body(text: string, status = 200): Pick<ServiceSettings, 'instead'> {
  return {
    instead(_request, response, count) {
      if (count === 1) return false
      response.writeHead(status).end(text)
      return true
    },
  }
}

/** Does this to the requests with these numbers, and leaves the others to the service. */
function on(
  counts: readonly number[],
  act: (response: ServerResponse, request: IncomingMessage) => void,
): Pick<ServiceSettings, 'instead'> {
  return {
    instead(request, response, count) {
      if (!counts.includes(count)) return false
      act(response, request)
      return true
    },
  }
}

describe('an http engine', () => {
  it('reads pages until there is none', async () => {
    const { service, open } = await serve({ pageRows: 100 })
    const result = resultOf(await (await open()).query('SELECT id FROM items', limits))
    expect([result.rows.length, result.cut]).toEqual([1000, null])
    expect(service.requests.filter((request) => request.startsWith('GET'))).toHaveLength(9)
  })

  it('treats members that are null or empty as absent', async () => {
    const { open } = await serve(body('{"columns":["a"],"rows":[[1]],"error":"","next":""}'))
    expect(resultOf(await (await open()).query('SELECT 1', limits)).rows).toEqual([[1]])
    const failing = await serve(body('{"columns":null,"rows":null,"error":"no such table: t","next":null}'))
    expect(await (await failing.open()).query('SELECT 1', limits)).toEqual({
      kind: 'failed',
      message: 'no such table: t',
    })
  })

  it('reads no pages whose columns differ', async () => {
    const pages = (second: string): Partial<ServiceSettings> => ({
      instead(_request, response, count) {
        if (count === 1) return false
        const first = count === 2
        const columns = first ? '["a","b"]' : second
        response.end(`{"columns":${columns},"rows":[[1,2]],"next":${first ? '"?page=2"' : 'null'}}`)
        return true
      },
    })
    for (const same of ['["a","b"]', '[]', 'null']) {
      const { open } = await serve(pages(same))
      expect(resultOf(await (await open()).query('SELECT 1', limits)).rows).toHaveLength(2)
    }
    const { open } = await serve(pages('["b","a"]'))
    await expect((await open()).query('SELECT 1', limits)).rejects.toThrow('other `columns` than the first')
  })

  it('asks for no page beyond the row cap', async () => {
    const { service, open } = await serve(
      // A service that ignores the limit.
      body('{"columns":["a"],"rows":[[1],[2],[3]],"next":"/more"}'),
    )
    const engine = await open()
    const result = resultOf(await engine.query('SELECT 1', { ...limits, rows: 2 }))
    expect([result.rows, result.cut]).toEqual([[[1], [2]], 'rows'])
    expect(service.requests).toHaveLength(2)
  })

  it.each([
    '{"columns":["a"],"rows":[[1]],"truncated":true}',
    '{"truncated":true,"columns":["a"],"rows":[[1]],"next":null}',
  ])('treats an answer that calls itself truncated as cut: %s', async (answer) => {
    const { open } = await serve(body(answer))
    const result = resultOf(await (await open()).query('SELECT 1', limits))
    expect([result.rows, result.cut]).toEqual([[[1]], 'service'])
  })

  it('treats an answer with a false truncation flag as whole', async () => {
    const { open } = await serve(body('{"columns":["a"],"rows":[[1]],"truncated":false}'))
    expect(resultOf(await (await open()).query('SELECT 1', limits)).cut).toBeNull()
  })

  it('stops reading a body that never ends', async () => {
    const { open } = await serve(
      on([2], (response) => {
        response.write('{"columns":["a"],"rows":[["')
        const more = setInterval(() => response.write('x'.repeat(100_000)), 1)
        response.on('close', () => clearInterval(more))
      }),
    )
    const result = resultOf(await (await open()).query('SELECT 1', { ...limits, bytes: 1000 }))
    expect([result.rows, result.cut]).toEqual([[], 'bytes'])
  })

  it('keeps every digit, and types texts by their column', async () => {
    const { open } = await serve(
      body(
        `{"rows":[[9007199254740993,0.1234567890123456789,1e3,-0.5,"2025-11-01","2025-11-01T10:00:00Z","12.50","12.50",[1,{"a":12345678901234567890}],true,null]],
          "columns":["i","d","e","f",{"name":"day","type":"DATE"},{"name":"at","type":"timestamp(3) with time zone"},{"name":"p","type":"decimal(8,2)"},{"name":"t","type":"varchar"},"l","b","n"]}`,
      ),
    )
    expect(resultOf(await (await open()).query('SELECT 1', limits)).rows).toEqual([
      [
        9007199254740993n,
        { kind: 'decimal', text: '0.1234567890123456789' },
        1000,
        -0.5,
        { kind: 'date', text: '2025-11-01' },
        { kind: 'timestamp', text: '2025-11-01 10:00:00+00' },
        { kind: 'decimal', text: '12.50' },
        '12.50',
        { kind: 'other', type: 'json', text: '[1,{"a":"12345678901234567890"}]' },
        true,
        null,
      ],
    ])
  })

  it.each([
    [
      'an answer with an error',
      body('{"error":"no such column: nope\\n  at 1"}'),
      /^no such column: nope at 1$/,
    ],
    ['an error status with the reason', body('{"error":"syntax error"}', 400), /^syntax error$/],
  ])('reports %s as the failure of the query', async (_name, settings, message) => {
    const { open } = await serve(settings)
    expect(await (await open()).query('SELECT 1', limits)).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(message),
    })
  })

  it.each([
    ['HTML', ' <html>', 200, /does not respond like a query service: it answers HTML, not JSON$/],
    ['words', 'oops', 200, /does not respond like a query service: it is not JSON: (?!.*BOM_OR_START)/],
    ['nothing', '', 200, /does not respond like a query service/],
    ['a list', '[]', 200, /without `columns`/],
    ['half of a body', '{"columns":["a"],"rows":[[1]', 200, /it is not JSON/],
    ['rows that are objects', '{"columns":["a"],"rows":[{"a":1}]}', 200, /a row that is not a list/],
    ['too few cells', '{"columns":["a","b"],"rows":[[1]]}', 200, /a row of 1 cells under 2 columns/],
    ['columns of another kind', '{"columns":[1],"rows":[]}', 200, /`columns` must be names/],
    ['a broken server', 'oops', 500, /it answers HTTP 500/],
    ['no such page', 'gone', 404, /it answers HTTP 404/],
  ])('treats %s as a fault of the service', async (_name, text, status, message) => {
    const { open } = await serve(body(text, status))
    await expect((await open()).query('SELECT 1', limits)).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringMatching(message),
    })
  })

  it.each([
    ['502', (response: ServerResponse) => response.writeHead(502).end()],
    ['503', (response: ServerResponse) => response.writeHead(503, { 'retry-after': '0' }).end()],
    ['504', (response: ServerResponse) => response.writeHead(504).end('later')],
    ['a reset', (response: ServerResponse) => response.socket?.resetAndDestroy()],
    [
      'a reset within the body',
      (response: ServerResponse) => {
        response.write('{"columns":["a"],"rows":[[1],')
        setTimeout(() => response.socket?.resetAndDestroy(), 20)
      },
    ],
  ])('asks again after %s, and counts no row twice', async (_name, act) => {
    const { service, open } = await serve(on([2, 3], act))
    expect(resultOf(await (await open()).query('SELECT 1 AS a', limits)).rows).toEqual([[1]])
    expect(service.requests).toHaveLength(4)
  })

  it('reports an answer that is not compressed as declared, without a retry', async () => {
    const { service, open } = await serve(
      on([2], (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('{"columns":[]}')),
    )
    await expect((await open()).query('SELECT 1', limits)).rejects.toThrow(
      /: its answer does not match its Content-Encoding \(Z_DATA_ERROR\)/,
    )
    expect(service.requests).toHaveLength(2)
  })

  it('gives up in the end', async () => {
    const { service, open } = await serve(
      on([2, 3, 4, 5], (response) => response.writeHead(503, { 'retry-after': '0' }).end()),
    )
    await expect((await open()).query('SELECT 1', limits)).rejects.toThrow(/it answers HTTP 503/)
    expect(service.requests).toHaveLength(5)
  })

  it('limits retries of broken connections, and names the error', async () => {
    const every = Array.from({ length: 50 }, (_, index) => index + 2)
    const { service, open } = await serve(on(every, (response) => response.socket?.resetAndDestroy()))
    await expect((await open()).query('SELECT 1', limits)).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringMatching(/no answer: /),
    })
    expect(service.requests).toHaveLength(5)
  })

  it('gives up on an answer that breaks off at the same page each time', async () => {
    const { service, open } = await serve({
      pageRows: 100,
      instead(request, response) {
        if (!/from=200/.test(request.url ?? '')) return false
        response.write('{"rows":[[1],')
        setTimeout(() => response.socket?.resetAndDestroy(), 20)
        return true
      },
    })
    await expect((await open()).query('SELECT id FROM items', limits)).rejects.toMatchObject({
      code: 'engine_unavailable',
    })
    expect(service.requests.filter((request) => request.includes('from=200'))).toHaveLength(4)
  })

  it('retries each page separately', async () => {
    const { open } = await serve({
      pageRows: 100,
      ...on([2, 4, 6, 8, 10, 12], (response) => response.writeHead(503, { 'retry-after': '0' }).end()),
    })
    expect(resultOf(await (await open()).query('SELECT id FROM items', limits)).rows).toHaveLength(1000)
  })

  it('holds the deadline over a body that stalls', async () => {
    const { open } = await serve(on([2], (response) => response.write('{"columns":["a"],"rows":[')))
    expect(await (await open()).query('SELECT 1', { ...limits, timeoutMs: 300 })).toMatchObject({
      kind: 'killed',
      limit: 'deadline',
    })
  })

  it.each([
    ['asks for an hour', '503', { 'retry-after': '3600' }],
    ['is not there', '503', {}],
    ['has nobody behind it', '502', {}],
  ])('does not blame a query for a service that %s until its deadline', async (_name, status, headers) => {
    const every = Array.from({ length: 50 }, (_, index) => index + 2)
    const { open } = await serve(
      on(every, (response) => response.writeHead(Number(status), headers).end('down')),
    )
    const engine = await open()
    await expect(engine.query('SELECT 1', { ...limits, timeoutMs: 300 })).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringContaining(`it answers HTTP ${status}`),
    })
  })

  it('does not blame the query where a failing service then does not answer', async () => {
    const { open } = await serve({
      instead(_request, response, count) {
        if (count === 2) response.writeHead(503, { 'retry-after': '0' }).end()
        return count > 1
      },
    })
    await expect((await open()).query('SELECT 1', { ...limits, timeoutMs: 500 })).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringContaining('it answers HTTP 503'),
    })
  })
})

describe('the token', () => {
  it('is requested by its variable where it is missing or wrong, and is in no message', async () => {
    for (const value of [undefined, 'wrong-token']) {
      const { open } = await serve({ token: secret }, { token: { variable: 'SHOP_TOKEN', value } })
      const error: unknown = await open().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        code: 'engine_unavailable',
        message: expect.stringMatching(value === undefined ? /asks for a token/ : /refuses the token/),
        hint: expect.stringContaining('SHOP_TOKEN'),
      })
      expect(JSON.stringify(error) + String(error)).not.toContain('wrong-token')
    }
  })

  it('is removed from messages of the service', async () => {
    const { open } = await serve(body(`{"error":"Bearer ${secret} may not"}`))
    expect(await (await open()).query('SELECT 1', limits)).toMatchObject({ message: 'Bearer *** may not' })
  })

  it('is removed where the service quotes a part of it', async () => {
    const { open } = await serve(body(`{"error":"Bearer ${secret.slice(0, -1)} may not"}`))
    expect(await (await open()).query('SELECT 1', limits)).toMatchObject({ message: 'Bearer *** may not' })
  })

  it.each(['next', 'redirect'])('is sent to no other host by %s', async (how) => {
    let stolen: string | undefined
    const thief = await startService({
      engine: backend,
      instead(request, response) {
        stolen = request.headers.authorization ?? 'asked'
        response.end('{"columns":["a"],"rows":[]}')
        return true
      },
    })
    onTestFinished(() => thief.close())
    const { open } = await serve(
      how === 'next'
        ? body(`{"columns":["a"],"rows":[[1]],"next":"${thief.address}"}`)
        : on([2], (response) => response.writeHead(307, { location: thief.address }).end()),
    )
    await expect((await open()).query('SELECT 1', limits)).rejects.toMatchObject({
      code: 'engine_unavailable',
    })
    expect(stolen).toBeUndefined()
  })
})

describe('an address', () => {
  it.each([
    ['http:nowhere', 'engine_unknown', /has no address/],
    ['http:ftp://host/x', 'engine_unknown', /has no address/],
    ['http:https://user:hunter2@host/x', 'engine_unknown', /contains a password/],
    ['http:https://host/x?token=hunter2', 'engine_unknown', /contains a secret in `token=`/],
    ['https://user:hunter2@host/x', 'engine_unknown', /contains a password/],
  ])('%s is refused', async (url, code, message) => {
    const error: unknown = await openEngine(url, [sqliteKind, httpKind], options()).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(String(error)).not.toContain('hunter2')
  })

  it('needs no scheme before it', async () => {
    const engine = await openEngine(shared.address, [sqliteKind, httpKind], options())
    expect((await engine.query('SELECT 1', limits)).kind).toBe('rows')
    await engine.close()
  })

  it('needs a dialect', async () => {
    await expect(httpKind.open(shared.address, options({ dialect: undefined }))).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('needs a dialect'),
    })
  })

  it('without a listening service is unavailable', async () => {
    const { service, open } = await serve()
    await service.close()
    await expect(open()).rejects.toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  it('is shown without its query', async () => {
    const engine = await httpKind.open(`${shared.address}?catalog=abc`, options())
    onTestFinished(() => engine.close())
    expect(engine.url).toBe(`http:${shared.address}`)
  })
})
