import { z } from 'zod'
import type { Column, Value } from '../../contract/engine.js'
import { toExactInteger } from '../../query/row-collector.js'
import { type ServerDriver, ServerFault, type ServiceSettings } from '../server-protocol.js'
import { createTokens } from '../service/access-token.js'
import { columnsQuery } from '../service/catalogue.js'
import { jsonHeaders, RestClient, type RestReply } from '../service/rest-client.js'
import { type ServiceStatement, StatementFailure } from '../service/run-on-service.js'
import { openServiceSession } from '../service/service-session.js'
import { instantInUtc } from '../service/zoned-timestamp.js'

const resultSchema = z.looseObject({
  data_array: z.array(z.array(z.string().nullable())).nullish(),
  next_chunk_index: z.number().nullish(),
})
/** docs.databricks.com/api/workspace/statementexecution, read 2026-11. */
const replySchema = z.looseObject({
  statement_id: z.string(),
  status: z.looseObject({
    state: z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED', 'CLOSED']),
    error: z.looseObject({ error_code: z.string().default(''), message: z.string().default('') }).nullish(),
  }),
  manifest: z
    .looseObject({
      schema: z.looseObject({
        columns: z.array(z.looseObject({ name: z.string(), type_text: z.string().default('') })).default([]),
      }),
      truncated: z.boolean().nullish(),
    })
    .nullish(),
  result: resultSchema.nullish(),
})

type Reply = z.infer<typeof replySchema>

const pollMs = 200
const statements = '/api/2.0/sql/statements'

/** Databricks by its statement execution. `options`: warehouse (the id of an SQL warehouse). */
export const databricksDriver: ServerDriver<ServiceSettings> = {
  connect(settings, clock) {
    const { options, catalog, schema } = settings
    const client = new RestClient(settings, jsonHeaders, createTokens(settings))
    const body = {
      warehouse_id: options['warehouse'],
      ...(catalog === '' ? {} : { catalog }),
      ...(schema === '' ? {} : { schema }),
      wait_timeout: '5s',
      on_wait_timeout: 'CONTINUE',
      disposition: 'INLINE',
      format: 'JSON_ARRAY',
    }
    return openServiceSession(
      {
        start: (sql, caps, within) =>
          start(client, { ...body, statement: sql, row_limit: caps.rows + 1 }, within),
        dialect: 'spark',
        refused: /^(?:java_method|reflect|try_reflect|http_request|ai_query|read_files|remote_query)$/,
        columnsQuery: catalog === '' ? '' : columnsQuery(quoteBackticks(catalog)),
        schema,
        quote: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : quoteBackticks(name)),
        name: settings.origin,
      },
      clock,
    )
  },
}

function quoteBackticks(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``
}

async function start(client: RestClient, body: object, signal: AbortSignal): Promise<ServiceStatement> {
  let reply = checked(
    await client.send({ method: 'POST', path: statements, body: JSON.stringify(body), signal }),
    client,
  )
  const path = `${statements}/${encodeURIComponent(reply.statement_id)}`
  let isFirst = true
  let chunk: number | null | undefined
  const typesOf = () => reply.manifest?.schema.columns ?? []
  return {
    columns: (): readonly Column[] => typesOf().map(({ name, type_text: type }) => ({ name, type })),
    async nextPage(within) {
      if (chunk !== undefined && chunk !== null) {
        const next = await client.send({
          method: 'GET',
          path: `${path}/result/chunks/${chunk}`,
          signal: within,
        })
        const parsed = resultSchema.safeParse(next.body)
        if (!parsed.success || next.status >= 300)
          throw new ServerFault(`HTTP ${next.status} with what is no part of a result`)
        chunk = parsed.data.next_chunk_index
        return {
          rows: rowsOf(parsed.data.data_array ?? [], typesOf()),
          isLast: chunk === null || chunk === undefined,
        }
      }
      if (!isFirst) {
        await new Promise((resolve) => setTimeout(resolve, pollMs))
        reply = checked(await client.send({ method: 'GET', path, signal: within }), client)
      }
      isFirst = false
      if (reply.status.state !== 'SUCCEEDED') return { rows: [], isLast: false }
      // More than the service returns in one reply: what is missing is not known to match.
      if (reply.manifest?.truncated === true && (reply.result?.data_array?.length ?? 0) === 0)
        throw new ServerFault('the result is larger than the service returns')
      chunk = reply.result?.next_chunk_index
      return {
        rows: rowsOf(reply.result?.data_array ?? [], typesOf()),
        isLast: chunk === null || chunk === undefined,
      }
    },
    async cancel(within) {
      await client.send({ method: 'POST', path: `${path}/cancel`, body: '{}', signal: within })
    },
  }
}

function checked({ status, body }: RestReply, client: RestClient): Reply {
  const parsed = replySchema.safeParse(body)
  if (!parsed.success || status >= 300) {
    const { message } = (body ?? {}) as { message?: unknown }
    throw new ServerFault(
      typeof message === 'string'
        ? client.oneLine(message)
        : `HTTP ${status} with what is no reply of statement execution`,
    )
  }
  const { state, error } = parsed.data.status
  const text = client.oneLine(error?.message ?? state)
  if (state === 'FAILED') {
    const code = error?.error_code ?? ''
    if (code === 'BAD_REQUEST' || /^\[[A-Z_]+(?:\.[A-Z_]+)?\]/.test(text))
      throw new StatementFailure({ kind: 'failed', message: text })
    throw new ServerFault(`${code}: ${text}`)
  }
  if (state === 'CANCELED' || state === 'CLOSED')
    throw new ServerFault(`the statement was ${state.toLowerCase()}: ${text}`)
  return parsed.data
}

function rowsOf(
  rows: readonly (readonly (string | null)[])[],
  types: readonly { readonly type_text: string }[],
): Value[][] {
  return rows.map((row) => row.map((cell, at) => toValue(cell, types[at]?.type_text ?? '')))
}

/** Every cell of JSON_ARRAY is a text, by the type of its column. */
export function toValue(cell: string | null, type: string): Value {
  if (cell === null) return null
  const name = type.toLowerCase()
  if (/^(?:tinyint|smallint|int|bigint)$/.test(name)) return toExactInteger(BigInt(cell))
  if (name.startsWith('decimal')) return { kind: 'decimal', text: cell }
  if (name === 'float' || name === 'double') return Number(cell)
  if (name === 'boolean') return cell === 'true'
  if (/^(?:string|char|varchar)/.test(name)) return cell
  if (name === 'date' && /^\d{4}-\d\d-\d\d$/.test(cell)) return { kind: 'date', text: cell }
  if (name === 'timestamp') {
    const text = instantInUtc(cell)
    if (text !== undefined) return { kind: 'timestamp', text: withoutZeros(text) }
  }
  const local = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?)$/.exec(cell)
  if (name === 'timestamp_ntz' && local !== null)
    return { kind: 'timestamp', text: withoutZeros(`${local[1]} ${local[2]}`) }
  return { kind: 'other', type: name, text: cell }
}

function withoutZeros(text: string): string {
  return text.replace(
    /\.(\d*?)0+(\+00)?$/,
    (_all, kept: string, zone = '') => `${kept === '' ? '' : `.${kept}`}${zone}`,
  )
}
