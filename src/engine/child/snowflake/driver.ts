import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Column, Value } from '../../contract/engine.js'
import { quoteName } from '../../query/quote-names.js'
import { toExactInteger } from '../../query/row-collector.js'
import { type ServerDriver, ServerFault, type ServiceSettings } from '../server-protocol.js'
import { createTokens } from '../service/access-token.js'
import { columnsQuery } from '../service/catalogue.js'
import { jsonHeaders, RestClient, type RestReply } from '../service/rest-client.js'
import { type ServiceStatement, StatementFailure } from '../service/run-on-service.js'
import { openServiceSession } from '../service/service-session.js'

/** docs.snowflake.com/en/developer-guide/sql-api/reference, read 2026-11. */
const replySchema = z.looseObject({
  code: z.string().optional(),
  message: z.string().optional(),
  statementHandle: z.string().optional(),
  resultSetMetaData: z
    .looseObject({
      rowType: z.array(z.looseObject({ name: z.string(), type: z.string(), scale: z.number().nullish() })),
      partitionInfo: z.array(z.unknown()).default([]),
    })
    .optional(),
  data: z.array(z.array(z.string().nullable())).optional(),
})

type Reply = z.infer<typeof replySchema>
type RowType = NonNullable<Reply['resultSetMetaData']>['rowType'][number]

/** How long to wait before asking again whether a statement has ended, in milliseconds. */
const pollMs = 200
const statements = '/api/v2/statements'
const tokenTypes = {
  'key-pair': 'KEYPAIR_JWT',
  token: 'PROGRAMMATIC_ACCESS_TOKEN',
  'token-file': 'OAUTH',
} as const

/** Snowflake by its SQL API. `options`: warehouse, role, query_tag, statement_timeout (seconds), token_type. */
export const snowflakeDriver: ServerDriver<ServiceSettings> = {
  connect(settings, clock) {
    const { options, catalog, schema, credentials } = settings
    const known =
      credentials.kind in tokenTypes ? tokenTypes[credentials.kind as keyof typeof tokenTypes] : undefined
    const tokenType = options['token_type'] ?? known
    const client = new RestClient(
      settings,
      (token) => ({
        'user-agent': 'autotest',
        ...jsonHeaders(token),
        ...(tokenType === undefined ? {} : { 'x-snowflake-authorization-token-type': tokenType }),
      }),
      createTokens(settings),
    )
    const timeout = Number(options['statement_timeout'] ?? 300)
    const body = {
      timeout,
      ...(catalog === '' ? {} : { database: catalog }),
      ...(schema === '' ? {} : { schema }),
      ...(options['warehouse'] === undefined ? {} : { warehouse: options['warehouse'] }),
      ...(options['role'] === undefined ? {} : { role: options['role'] }),
      parameters: {
        // One statement and no more: the service refuses a text with several.
        MULTI_STATEMENT_COUNT: '1',
        QUERY_TAG: options['query_tag'] ?? 'autotest',
        STATEMENT_TIMEOUT_IN_SECONDS: String(timeout),
        TIMEZONE: 'UTC',
      },
    }
    return openServiceSession(
      {
        start: (sql, _caps, within) => start(client, { ...body, statement: sql }, within),
        dialect: 'snowflake',
        refused: /^system\$\w+$/,
        columnsQuery: catalog === '' ? '' : columnsQuery(quoteName(catalog.toUpperCase())),
        schema,
        // A name in capitals is written without quotes, in any case.
        quote: (name) => (/^[A-Z_][A-Z0-9_$]*$/.test(name) ? name.toLowerCase() : quoteName(name)),
        name: settings.origin,
      },
      clock,
    )
  },
}

async function start(client: RestClient, body: object, signal: AbortSignal): Promise<ServiceStatement> {
  const path = `${statements}?async=true&requestId=${randomUUID()}`
  let reply = checked(await client.send({ method: 'POST', path, body: JSON.stringify(body), signal }), client)
  const handle = reply.statementHandle
  if (handle === undefined) throw new ServerFault('a reply without `statementHandle`')
  let types: readonly RowType[] = []
  let partition = 0
  let partitions = 1
  let isFirst = true
  return {
    columns: (): readonly Column[] => types.map(({ name, type }) => ({ name, type })),
    async nextPage(within) {
      if (!isFirst) {
        if (types.length === 0) await new Promise((resolve) => setTimeout(resolve, pollMs))
        const next = `${statements}/${encodeURIComponent(handle)}?partition=${partition}`
        reply = checked(await client.send({ method: 'GET', path: next, signal: within }), client)
      }
      isFirst = false
      if (reply.resultSetMetaData !== undefined) {
        types = reply.resultSetMetaData.rowType
        partitions = Math.max(1, reply.resultSetMetaData.partitionInfo.length)
      }
      // It still runs.
      if (reply.data === undefined) return { rows: [], isLast: false }
      partition += 1
      const rows = reply.data.map((row) => row.map((cell, at) => toValue(cell, types[at])))
      return { rows, isLast: partition >= partitions }
    },
    async cancel(within) {
      await client.send({
        method: 'POST',
        path: `${statements}/${encodeURIComponent(handle)}/cancel`,
        body: '{}',
        signal: within,
      })
    },
  }
}

/** 200: rows; 202: it runs; 408: beyond its time; 422: it failed. */
function checked({ status, body }: RestReply, client: RestClient): Reply {
  const parsed = replySchema.safeParse(body)
  if (!parsed.success) throw new ServerFault(`HTTP ${status} with what is no reply of the SQL API`)
  const { message = `HTTP ${status}` } = parsed.data
  if (status === 200 || status === 202) return parsed.data
  if (status === 408)
    throw new StatementFailure({ kind: 'killed', limit: 'deadline', message: client.oneLine(message) })
  if (status === 422) {
    const text = client.oneLine(message)
    // 000008: more statements than one; 604: cancelled by somebody.
    if (parsed.data.code === '000008')
      throw new StatementFailure({ kind: 'refused', message: 'only a single SELECT statement is allowed' })
    if (parsed.data.code === '000604') throw new ServerFault(`somebody cancelled the query: ${text}`)
    throw new StatementFailure({ kind: 'failed', message: text })
  }
  throw new ServerFault(client.oneLine(message))
}

/** docs.snowflake.com/en/developer-guide/sql-api/handling-responses: every cell is a text, by the type of its column. */
export function toValue(cell: string | null, type: RowType | undefined): Value {
  if (cell === null) return null
  const name = type?.type.toLowerCase() ?? ''
  switch (name) {
    case 'fixed':
      return (type?.scale ?? 0) === 0 && /^-?\d+$/.test(cell)
        ? toExactInteger(BigInt(cell))
        : { kind: 'decimal', text: cell }
    case 'real':
      return Number(cell.replace(/^(-?)inf$/i, '$1Infinity'))
    case 'boolean':
      return /^(?:true|1)$/i.test(cell)
    case 'text':
      return cell
    case 'date':
      // Days since 1970.
      return { kind: 'date', text: new Date(Number(cell) * 86_400_000).toISOString().slice(0, 10) }
    case 'timestamp_ntz':
      return { kind: 'timestamp', text: momentOf(cell) }
    case 'timestamp_ltz':
      return { kind: 'timestamp', text: `${momentOf(cell)}+00` }
    case 'timestamp_tz':
      // Behind the instant is its offset, which says nothing about when it is.
      return { kind: 'timestamp', text: `${momentOf(cell.split(' ')[0] ?? '')}+00` }
    default:
      return { kind: 'other', type: name, text: cell }
  }
}

/** Returns seconds since 1970, with up to nine decimals, as a timestamp. */
function momentOf(seconds: string): string {
  const [, whole = '0', decimals = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(seconds) ?? []
  const isBefore = whole.startsWith('-') && /[1-9]/.test(decimals)
  const date = new Date((Number(whole) - (isBefore ? 1 : 0)) * 1000).toISOString()
  const scale = decimals.length
  const kept = isBefore ? String(10 ** scale - Number(decimals)).padStart(scale, '0') : decimals
  const shown = kept.replace(/0+$/, '')
  return `${date.slice(0, 10)} ${date.slice(11, 19)}${shown === '' ? '' : `.${shown}`}`
}
