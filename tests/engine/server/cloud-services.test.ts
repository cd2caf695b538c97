import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Engine, QueryLimits } from '../../../src/engine/contract/engine.js'
import type { EngineKind } from '../../../src/engine/contract/engine-kind.js'
import { createEngineMeter } from '../../../src/engine/metered-engine.js'
import { bigqueryKind, databricksKind, snowflakeKind } from '../../../src/engine/server/cloud-services.js'
import { resultOf } from '../../contracts/engine.contract.js'

/**
 * The services as their public documentation shows them (read 2026-11): docs.snowflake.com/en/developer-guide/sql-api,
 * cloud.google.com/bigquery/docs/reference/rest, docs.databricks.com/api/workspace/statementexecution. No account was used.
 */
const limits: QueryLimits = { timeoutMs: 5000, rows: 2000, bytes: 1_000_000, memoryBytes: 400_000_000 }

interface Asked {
  readonly line: string
  readonly headers: Record<string, string | string[] | undefined>
  readonly body: string
}
type Reply = { status?: number; body: unknown }

let server: Server
let origin = ''
let replies: (asked: Asked) => Reply
const asked: Asked[] = []
const root = mkdtempSync(join(tmpdir(), 'autotest-cloud-'))
const opened: Engine[] = []
const variables = [
  'SNOWFLAKE_TOKEN',
  'SNOWFLAKE_PRIVATE_KEY_PATH',
  'BIGQUERY_TOKEN',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'DATABRICKS_TOKEN',
  'DATABRICKS_CLIENT_ID',
  'DATABRICKS_CLIENT_SECRET',
]

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request.setEncoding('utf8')) body += part
    const one = { line: `${request.method} ${request.url}`, headers: request.headers, body }
    asked.push(one)
    const reply = replies(one)
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply.body))
  }).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  rmSync(root, { recursive: true, force: true })
})
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close()
  for (const name of variables) delete process.env[name]
  asked.length = 0
})

async function open(kind: EngineKind, address: string): Promise<Engine> {
  const glue = address.includes('?') ? '&' : '?'
  const engine = await kind.open(`${address}${glue}endpoint=${origin}`, {
    root,
    concurrency: 2,
    memoryBytes: 4e8,
  })
  opened.push(engine)
  asked.length = 0
  return engine
}
const rowsOf = async (engine: Engine, sql: string) => resultOf(await engine.query(sql, limits)).rows
const linesOf = (pattern: RegExp) => asked.filter(({ line }) => pattern.test(line))

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string

/** Returns the claims of a token that this key has signed. */
function claimsOf(token: string) {
  const [head = '', claims = '', signature = ''] = token.split('.')
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${head}.${claims}`),
    createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
    Buffer.from(signature, 'base64url'),
  )
  return { isSigned, ...JSON.parse(Buffer.from(claims, 'base64url').toString()) }
}

describe('Snowflake by its SQL API', () => {
  const one = (type: object, value: string | null) => ({
    code: '090001',
    statementHandle: 'h-1',
    resultSetMetaData: {
      numRows: 1,
      format: 'jsonv2',
      rowType: [{ name: 'X', ...type }],
      partitionInfo: [{ rowCount: 1 }],
    },
    data: [[value]],
  })
  const number = { type: 'fixed', scale: 0 }
  const address = '//reader@org-acc/shop/public?warehouse=small&role=reader'

  it('names warehouse, role, tag and time, asks for one statement, and signs with a key pair', async () => {
    writeFileSync(join(root, 'key.p8'), pem)
    replies = () => ({ body: one(number, '1') })
    const engine = await open(snowflakeKind, `${address}&private_key_file=key.p8&statement_timeout=60`)
    expect(await rowsOf(engine, 'SELECT 1;')).toEqual([[1]])
    const [{ line, headers, body } = { line: '', headers: {}, body: '{}' }] = asked
    expect(line).toMatch(/^POST \/api\/v2\/statements\?async=true&requestId=[0-9a-f-]{36}$/)
    expect(JSON.parse(body)).toMatchObject({
      ...{
        statement: 'SELECT 1',
        timeout: 60,
        warehouse: 'small',
        role: 'reader',
        database: 'shop',
        schema: 'public',
      },
      parameters: {
        MULTI_STATEMENT_COUNT: '1',
        QUERY_TAG: 'autotest',
        STATEMENT_TIMEOUT_IN_SECONDS: '60',
        TIMEZONE: 'UTC',
      },
    })
    expect(headers['x-snowflake-authorization-token-type']).toBe('KEYPAIR_JWT')
    const claims = claimsOf(String(headers['authorization']).slice('Bearer '.length))
    expect(claims).toMatchObject({
      isSigned: true,
      sub: 'ORG-ACC.READER',
      iss: expect.stringMatching(/^ORG-ACC\.READER\.SHA256:/),
    })
    expect(claims.exp - claims.iat).toBeLessThanOrEqual(3600)
  })

  it.each([
    [number, '9007199254740993', 9007199254740993n],
    [{ type: 'fixed', scale: 2 }, '1.10', { kind: 'decimal', text: '1.10' }],
    [{ type: 'real' }, '0.30000000000000004', 0.30000000000000004],
    [{ type: 'real' }, 'NaN', Number.NaN],
    [{ type: 'real' }, '-inf', Number.NEGATIVE_INFINITY],
    [{ type: 'boolean' }, 'true', true],
    [{ type: 'text' }, '12', '12'],
    [{ type: 'date' }, '18262', { kind: 'date', text: '2020-01-01' }],
    [{ type: 'date' }, '-1', { kind: 'date', text: '1969-12-31' }],
    [
      { type: 'timestamp_ntz' },
      '1611871000.123000000',
      { kind: 'timestamp', text: '2021-01-28 21:56:40.123' },
    ],
    [{ type: 'timestamp_ntz' }, '-1.500000000', { kind: 'timestamp', text: '1969-12-31 23:59:58.5' }],
    [
      { type: 'timestamp_tz' },
      '1616173619.000000000 960',
      { kind: 'timestamp', text: '2021-03-19 17:06:59+00' },
    ],
    [{ type: 'variant' }, '{"a": 1}', { kind: 'other', type: 'variant', text: '{"a": 1}' }],
    [number, null, null],
  ])('%j %s', async (type, text, expected) => {
    process.env['SNOWFLAKE_TOKEN'] = 'pat-4711'
    replies = () => ({ body: one(type, text) })
    expect(await rowsOf(await open(snowflakeKind, address), 'SELECT x')).toEqual([[expected]])
  })

  it('waits while it runs, reads each partition, cancels at the deadline, and tells failures from faults', async () => {
    process.env['SNOWFLAKE_TOKEN'] = 'pat-4711'
    replies = () => ({ body: one(number, '1') })
    const engine = await open(snowflakeKind, address)
    replies = ({ line }) => {
      const running = {
        status: 202,
        body: { code: '333334', message: 'in progress', statementHandle: 'h-1' },
      }
      if (line.startsWith('POST')) return running
      if (linesOf(/partition=0/).length < 2) return running
      if (line.includes('partition=1')) return { body: { data: [['2']] } }
      const whole = one(number, '1')
      return {
        body: { ...whole, resultSetMetaData: { ...whole.resultSetMetaData, partitionInfo: [{}, {}] } },
      }
    }
    expect(await rowsOf(engine, 'SELECT x FROM t')).toEqual([[1], [2]])
    replies = ({ line }) =>
      line.includes('/cancel')
        ? { body: {} }
        : { status: 202, body: { statementHandle: 'h-1', code: '333334' } }
    expect(await engine.query('SELECT 1', { ...limits, timeoutMs: 600 })).toMatchObject({
      kind: 'killed',
      limit: 'deadline',
    })
    expect(linesOf(/POST .*\/h-1\/cancel/)).toHaveLength(1)
    replies = () => ({
      status: 422,
      body: { code: '002003', message: 'SQL compilation error: no table NOPE', sqlState: '02000' },
    })
    expect(await engine.query('SELECT 1 FROM nope', limits)).toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(/NOPE/),
    })
    replies = () => ({
      status: 422,
      body: {
        code: '000008',
        message: 'Actual statement count 2 did not match the desired statement count 1.',
      },
    })
    expect(await engine.query('SELECT 1; DROP TABLE a', limits)).toMatchObject({ kind: 'refused' })
    replies = () => ({ status: 401, body: { code: '390144', message: 'JWT token is invalid. pat-4711' } })
    await expect(engine.query('SELECT 1', limits)).rejects.toThrow(
      /refuses the credentials \(HTTP 401\): (?!.*pat-4711)/,
    )
    expect(await engine.query('SELECT system$cancel_all_queries(1)', limits)).toMatchObject({
      kind: 'refused',
    })
  })
})

describe('BigQuery by its REST', () => {
  const schema = (type: string, mode?: string) => ({
    fields: [{ name: 'x', type, ...(mode ? { mode } : {}) }],
  })
  const dry = (statementType = 'SELECT', bytes = '1000') => ({
    body: { statistics: { totalBytesProcessed: bytes, query: { statementType, schema: schema('INTEGER') } } },
  })
  const answer = (type: string, v: unknown, mode?: string): Reply => ({
    body: {
      jobComplete: true,
      jobReference: { jobId: 'j-1', location: 'EU' },
      schema: schema(type, mode),
      rows: [{ f: [{ v }] }],
    },
  })
  const normal =
    (type: string, v: unknown, mode?: string) =>
    ({ line }: Asked) =>
      line.includes('/jobs') ? dry() : answer(type, v, mode)
  const address = '//shop-prod/sales?location=EU&maximum_bytes_billed=1000000'

  it('asks first what a query would be and cost; a bounded one is run, another refused', async () => {
    process.env['BIGQUERY_TOKEN'] = 't-4711'
    replies = normal('INTEGER', '1')
    const engine = await open(bigqueryKind, address)
    expect(await rowsOf(engine, 'SELECT 1')).toEqual([[1]])
    const [first, second] = asked.map(({ line, body }) => ({ line, body: JSON.parse(body) }))
    expect(first).toMatchObject({
      line: 'POST /bigquery/v2/projects/shop-prod/jobs',
      body: { configuration: { dryRun: true } },
    })
    expect(second).toMatchObject({
      line: 'POST /bigquery/v2/projects/shop-prod/queries',
      body: {
        maximumBytesBilled: '1000000',
        useLegacySql: false,
        location: 'EU',
        defaultDataset: { datasetId: 'sales' },
      },
    })
    replies = () => dry('SELECT', '2000000')
    expect(await engine.query('SELECT 1', limits)).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/would read 2000000 bytes/),
    })
    replies = () => dry('SCRIPT')
    expect(await engine.query('SELECT 1; DELETE FROM a WHERE true', limits)).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/SCRIPT/),
    })
    expect(linesOf(/queries/)).toHaveLength(1)
    expect(resultOf(await engine.explain('SELECT 1', limits)).rows).toEqual([])
  })

  it('what the service says it read counts for the budget of a run', async () => {
    process.env['BIGQUERY_TOKEN'] = 't-4711'
    const read = answer('INTEGER', '1')
    replies = ({ line }) =>
      line.includes('/jobs')
        ? dry()
        : { ...read, body: { ...(read.body as object), totalBytesProcessed: '10485760' } }
    const meter = createEngineMeter({ bytes: 15_000_000 })
    const engine = meter.measure(await open(bigqueryKind, address))
    for (let time = 0; time < 2; time++) expect(await rowsOf(engine, 'SELECT 1')).toEqual([[1]])
    await expect(engine.query('SELECT 1', limits)).rejects.toMatchObject({
      code: 'budget_exhausted',
      message: '--max-scan reached: 20971520 of 15000000 bytes were read',
    })
    expect(meter.uses()).toMatchObject([{ queries: 2, scannedBytes: 20_971_520 }])
  })

  it.each([
    ['INTEGER', '9007199254740993', undefined, 9007199254740993n],
    ['NUMERIC', '1.10', undefined, { kind: 'decimal', text: '1.10' }],
    ['FLOAT', 'Infinity', undefined, Number.POSITIVE_INFINITY],
    ['BOOLEAN', 'false', undefined, false],
    ['DATE', '2024-02-29', undefined, { kind: 'date', text: '2024-02-29' }],
    [
      'DATETIME',
      '2024-02-29T12:34:56.123456',
      undefined,
      { kind: 'timestamp', text: '2024-02-29 12:34:56.123456' },
    ],
    [
      'TIMESTAMP',
      '1709210096123456',
      undefined,
      { kind: 'timestamp', text: '2024-02-29 12:34:56.123456+00' },
    ],
    ['TIMESTAMP', '-1', undefined, { kind: 'timestamp', text: '1969-12-31 23:59:59.999999+00' }],
    ['INTEGER', [{ v: '1' }], 'REPEATED', { kind: 'other', type: 'array<integer>', text: '[{"v":"1"}]' }],
    ['STRING', null, undefined, null],
  ])('%s %j', async (type, value, mode, expected) => {
    process.env['BIGQUERY_TOKEN'] = 't-4711'
    replies = normal(type, value, mode)
    expect(await rowsOf(await open(bigqueryKind, address), 'SELECT x')).toEqual([[expected]])
  })

  it('waits for a job, reads its pages, cancels at the deadline, and tells failures from faults', async () => {
    process.env['BIGQUERY_TOKEN'] = 't-4711'
    replies = normal('INTEGER', '1')
    const engine = await open(bigqueryKind, address)
    replies = ({ line }) => {
      if (line.includes('/jobs')) return dry()
      if (line.startsWith('POST'))
        return { body: { jobComplete: false, jobReference: { jobId: 'j-1', location: 'EU' } } }
      const page = answer('INTEGER', line.includes('pageToken=p2') ? '2' : '1').body as object
      return { body: { ...page, ...(line.includes('pageToken') ? {} : { pageToken: 'p2' }) } }
    }
    expect(await rowsOf(engine, 'SELECT x')).toEqual([[1], [2]])
    replies = ({ line }) =>
      line.endsWith('/jobs')
        ? dry()
        : { body: { jobComplete: false, jobReference: { jobId: 'j-1', location: 'EU' } } }
    expect(await engine.query('SELECT 1', { ...limits, timeoutMs: 500 })).toMatchObject({ kind: 'killed' })
    expect(linesOf(/POST .*\/jobs\/j-1\/cancel\?location=EU/)).toHaveLength(1)
    const failing = (reason: string, status: number) => () => ({
      status,
      body: { error: { message: 'why', errors: [{ reason }] } },
    })
    replies = failing('invalidQuery', 400)
    expect(await engine.query('SELECT nope', limits)).toMatchObject({ kind: 'failed' })
    replies = failing('backendError', 500)
    await expect(engine.query('SELECT 1', limits)).rejects.toThrow(/backendError/)
  })

  it('obtains tokens by a service account, and by a workload identity that reads a file', async () => {
    const token = { body: { access_token: 'ya29', expires_in: 3600 } }
    replies = (one) => (one.line.startsWith('POST /token') ? token : normal('INTEGER', '1')(one))
    const account = {
      type: 'service_account',
      client_email: 'reader@shop.iam',
      private_key: pem,
      token_uri: `${origin}/token`,
    }
    writeFileSync(join(root, 'account.json'), JSON.stringify(account))
    const first = open(bigqueryKind, `${address}&credentials_file=account.json`)
    await first
    writeFileSync(join(root, 'subject'), JSON.stringify({ id_token: 'oidc-4711' }))
    const workload = {
      ...{
        type: 'external_account',
        audience: '//iam.googleapis.com/pool',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      },
      ...{
        token_url: `${origin}/token`,
        credential_source: {
          file: join(root, 'subject'),
          format: { type: 'json', subject_token_field_name: 'id_token' },
        },
      },
    }
    writeFileSync(join(root, 'workload.json'), JSON.stringify(workload))
    process.env['GOOGLE_APPLICATION_CREDENTIALS'] = join(root, 'workload.json')
    let form = new URLSearchParams()
    const before = replies
    replies = (one) => {
      if (one.line.startsWith('POST /token')) form = new URLSearchParams(one.body)
      return before(one)
    }
    const engine = await open(bigqueryKind, address)
    expect(form.get('subject_token')).toBe('oidc-4711')
    await rowsOf(engine, 'SELECT 1')
    // The token is kept.
    expect(linesOf(/token/)).toEqual([])
    expect(asked[0]?.headers['authorization']).toBe('Bearer ya29')
  })
})

describe('Databricks by its statement execution', () => {
  const done = (type: string, value: string | null): Reply => ({
    body: {
      statement_id: 's-1',
      status: { state: 'SUCCEEDED' },
      manifest: { schema: { columns: [{ name: 'x', type_text: type, position: 0 }] } },
      result: { data_array: [[value]], chunk_index: 0 },
    },
  })
  const address = '//adb.example.net/main/sales?warehouse=w-1'

  it.each([
    ['BIGINT', '9007199254740993', 9007199254740993n],
    ['DECIMAL(10,2)', '1.10', { kind: 'decimal', text: '1.10' }],
    ['DOUBLE', 'NaN', Number.NaN],
    ['BOOLEAN', 'true', true],
    ['STRING', '12', '12'],
    ['DATE', '2024-02-29', { kind: 'date', text: '2024-02-29' }],
    ['TIMESTAMP', '2024-02-29T12:34:56.500Z', { kind: 'timestamp', text: '2024-02-29 12:34:56.5+00' }],
    ['TIMESTAMP_NTZ', '2024-02-29T12:34:56.000', { kind: 'timestamp', text: '2024-02-29 12:34:56' }],
    ['ARRAY<INT>', '[1,2]', { kind: 'other', type: 'array<int>', text: '[1,2]' }],
  ])('%s %s', async (type, value, expected) => {
    process.env['DATABRICKS_TOKEN'] = 'dapi-4711'
    replies = () => done(type, value)
    const engine = await open(databricksKind, address)
    expect(await rowsOf(engine, 'SELECT x')).toEqual([[expected]])
    expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({
      warehouse_id: 'w-1',
      catalog: 'main',
      schema: 'sales',
      format: 'JSON_ARRAY',
    })
  })

  it('waits, reads each chunk, cancels at the deadline, tells failures from faults, and signs in as a client', async () => {
    process.env['DATABRICKS_CLIENT_ID'] = 'id'
    process.env['DATABRICKS_CLIENT_SECRET'] = 'secret'
    replies = ({ line }) =>
      line.includes('/oidc/') ? { body: { access_token: 'oauth-1', expires_in: 3600 } } : done('INT', '1')
    const engine = await open(databricksKind, address)
    await rowsOf(engine, 'SELECT 1')
    expect(asked[0]?.headers['authorization']).toBe('Bearer oauth-1')
    const running = { body: { statement_id: 's-1', status: { state: 'RUNNING' } } }
    replies = ({ line }) => {
      if (line.startsWith('POST')) return running
      if (line.includes('chunks/1')) return { body: { data_array: [['2']], chunk_index: 1 } }
      const whole = done('INT', '1').body as { result: object }
      return { body: { ...whole, result: { ...whole.result, next_chunk_index: 1 } } }
    }
    expect(await rowsOf(engine, 'SELECT x')).toEqual([[1], [2]])
    replies = ({ line }) => (line.includes('/cancel') ? { body: {} } : running)
    expect(await engine.query('SELECT 1', { ...limits, timeoutMs: 500 })).toMatchObject({ kind: 'killed' })
    expect(linesOf(/s-1\/cancel/)).toHaveLength(1)
    const failed = (error_code: string, message: string) => () => ({
      body: { statement_id: 's-1', status: { state: 'FAILED', error: { error_code, message } } },
    })
    replies = failed('BAD_REQUEST', '[UNRESOLVED_COLUMN.WITH_SUGGESTION] no nope')
    expect(await engine.query('SELECT nope', limits)).toMatchObject({ kind: 'failed' })
    replies = failed('WORKSPACE_TEMPORARILY_UNAVAILABLE', 'try again')
    await expect(engine.query('SELECT 1', limits)).rejects.toMatchObject({ code: 'engine_unavailable' })
  })
})

describe('addresses of services', () => {
  it.each([
    [snowflakeKind, '//me@acc/db', /warehouse is missing/],
    [bigqueryKind, '', /first part of the address is missing/],
    [bigqueryKind, '//p/d?maximum_bytes_billed=lots', /maximum_bytes_billed is a number/],
    [databricksKind, '//h/c?warehouse=w', /there are no credentials/],
    [databricksKind, '//h/c?warehouse=w&endpoint=http://evil.example', /endpoint must begin with https/],
    [snowflakeKind, '//me@acc/db?warehouse=w&private_key_file=nope.p8', /nope.p8 cannot be read/],
    [snowflakeKind, '//me@acc/db?warehouse=w&nonsense=1', /the parameter nonsense is unknown/],
  ])('%#: what is wrong', async (kind, address, message) => {
    const home = process.env['HOME']
    process.env['HOME'] = root
    await expect(kind.open(address, { root, concurrency: 1, memoryBytes: 4e8 })).rejects.toThrow(message)
    process.env['HOME'] = home
  })
})
