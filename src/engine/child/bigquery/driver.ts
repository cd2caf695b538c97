import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Column, QueryOutcome, Value } from '../../contract/engine.js'
import { jsonText } from '../../query/json-values.js'
import { toExactInteger } from '../../query/row-collector.js'
import { type ServerDriver, ServerFault, type ServiceSettings } from '../server-protocol.js'
import { createTokens } from '../service/access-token.js'
import { columnsQuery } from '../service/catalogue.js'
import { jsonHeaders, RestClient, type RestReply } from '../service/rest-client.js'
import { type ServiceStatement, StatementFailure } from '../service/run-on-service.js'
import { openServiceSession } from '../service/service-session.js'

interface Field {
  readonly name: string
  readonly type: string
  readonly mode?: string | undefined
  readonly fields?: readonly Field[] | undefined
}

const fieldSchema: z.ZodType<Field> = z.lazy(() =>
  z.looseObject({
    name: z.string(),
    type: z.string(),
    mode: z.string().optional(),
    fields: z.array(fieldSchema).optional(),
  }),
)
const tableSchema = z.looseObject({ fields: z.array(fieldSchema).default([]) })
/** cloud.google.com/bigquery/docs/reference/rest/v2/jobs/query and /getQueryResults, read 2026-11. */
const replySchema = z.looseObject({
  jobComplete: z.boolean().default(false),
  jobReference: z.looseObject({ jobId: z.string(), location: z.string().optional() }).optional(),
  schema: tableSchema.optional(),
  rows: z.array(z.looseObject({ f: z.array(z.looseObject({ v: z.unknown() })) })).optional(),
  pageToken: z.string().optional(),
  totalBytesProcessed: z.string().optional(),
})
/** cloud.google.com/bigquery/docs/reference/rest/v2/jobs/insert with dryRun, read 2026-11. */
const dryRunSchema = z.looseObject({
  statistics: z.looseObject({
    totalBytesProcessed: z.string().default('0'),
    query: z.looseObject({ statementType: z.string().default(''), schema: tableSchema.optional() }),
  }),
})
const errorSchema = z.looseObject({
  error: z.looseObject({
    message: z.string(),
    errors: z.array(z.looseObject({ reason: z.string().default('') })).default([]),
  }),
})

type Reply = z.infer<typeof replySchema>

/** How long the service waits for a query before it answers that it runs, in milliseconds. */
const waitMs = 2000
const pageRows = 10_000

/** BigQuery by its REST. `options`: location, maximum_bytes_billed. The catalogue is the project that pays, the schema the data set. */
export const bigqueryDriver: ServerDriver<ServiceSettings> = {
  connect(settings, clock) {
    const { catalog: project, schema: dataset, options } = settings
    const base = `/bigquery/v2/projects/${encodeURIComponent(project)}`
    const client = new RestClient(settings, jsonHeaders, createTokens(settings))
    const most = options['maximum_bytes_billed']
    const query = {
      useLegacySql: false,
      ...(dataset === '' ? {} : { defaultDataset: { projectId: project, datasetId: dataset } }),
      ...(most === undefined ? {} : { maximumBytesBilled: most }),
    }
    const location = options['location']
    const place = location === undefined ? {} : { location }
    const dryRun = async (
      sql: string,
      within: AbortSignal,
    ): Promise<z.infer<typeof dryRunSchema>['statistics']> => {
      const body = {
        jobReference: { projectId: project, ...place },
        configuration: { dryRun: true, query: { ...query, query: sql } },
      }
      const reply = await client.send({
        method: 'POST',
        path: `${base}/jobs`,
        body: JSON.stringify(body),
        signal: within,
      })
      return checked(reply, dryRunSchema, client).statistics
    }
    return openServiceSession(
      {
        async start(sql, _caps, within) {
          // It costs nothing, and says what the text is: a script or a change of data would be run as it is.
          const { query: planned, totalBytesProcessed } = await dryRun(sql, within)
          if (planned.statementType !== 'SELECT')
            throw new StatementFailure({
              kind: 'refused',
              message: `only a single SELECT statement is allowed, and this is ${planned.statementType}`,
            })
          if (most !== undefined && BigInt(totalBytesProcessed) > BigInt(most))
            throw new StatementFailure({
              kind: 'refused',
              message: `it would read ${totalBytesProcessed} bytes, and maximum_bytes_billed is ${most}`,
            })
          return start({ client, base, ...place, body: { ...query, ...place, query: sql } }, within)
        },
        async describe(sql, within): Promise<QueryOutcome> {
          try {
            const { query: planned } = await dryRun(sql, within)
            const columns = (planned.schema?.fields ?? []).map(columnOf)
            return { kind: 'rows', result: { columns, rows: [], cut: null }, ms: 0 }
          } catch (error) {
            if (error instanceof StatementFailure) return error.outcome
            throw error
          }
        },
        dialect: 'bigquery',
        refused: /^external_query$/,
        columnsQuery: dataset === '' ? '' : columnsQuery(quoteBackticks(`${project}.${dataset}`)),
        schema: dataset,
        quote: (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : quoteBackticks(name)),
        name: `${settings.origin} ${project}`,
      },
      clock,
    )
  },
}

interface Job {
  readonly client: RestClient
  readonly base: string
  readonly location?: string
  readonly body: object
}

async function start({ client, base, body, location }: Job, signal: AbortSignal): Promise<ServiceStatement> {
  const asked = {
    ...body,
    requestId: randomUUID(),
    timeoutMs: waitMs,
    maxResults: pageRows,
    labels: { tool: 'autotest' },
    formatOptions: { useInt64Timestamp: true },
  }
  const post = { method: 'POST', path: `${base}/queries`, body: JSON.stringify(asked), signal } as const
  let reply: Reply = checked(await client.send(post), replySchema, client)
  const job = reply.jobReference
  let fields: readonly Field[] = []
  let isFirst = true
  const at = job?.location ?? location
  return {
    columns: () => fields.map(columnOf),
    scannedBytes: () =>
      reply.totalBytesProcessed === undefined ? undefined : Number(reply.totalBytesProcessed),
    async nextPage(within) {
      if (!isFirst) {
        if (job === undefined) throw new ServerFault('a query without a job has more than one page')
        const given = {
          timeoutMs: String(waitMs),
          maxResults: String(pageRows),
          'formatOptions.useInt64Timestamp': 'true',
          ...(at === undefined ? {} : { location: at }),
          ...(reply.pageToken === undefined ? {} : { pageToken: reply.pageToken }),
        }
        const path = `${base}/queries/${encodeURIComponent(job.jobId)}?${new URLSearchParams(given)}`
        reply = checked(await client.send({ method: 'GET', path, signal: within }), replySchema, client)
      }
      isFirst = false
      if (!reply.jobComplete) return { rows: [], isLast: false }
      fields = reply.schema?.fields ?? fields
      const rows = (reply.rows ?? []).map(({ f }) => f.map(({ v }, column) => toValue(v, fields[column])))
      return { rows, isLast: reply.pageToken === undefined }
    },
    async cancel(within) {
      if (job === undefined) return
      const where = at === undefined ? '' : `?location=${encodeURIComponent(at)}`
      const path = `${base}/jobs/${encodeURIComponent(job.jobId)}/cancel${where}`
      await client.send({ method: 'POST', path, body: '{}', signal: within })
    },
  }
}

const ofStatement = new Set(['invalidQuery', 'invalid', 'notFound', 'duplicate'])

function checked<Body>({ status, body }: RestReply, schema: z.ZodType<Body>, client: RestClient): Body {
  const failed = errorSchema.safeParse(body)
  if (failed.success) {
    const { message, errors } = failed.data.error
    const text = client.oneLine(message)
    const reason = errors[0]?.reason ?? ''
    if (reason === 'bytesBilledLimitExceeded') throw new StatementFailure({ kind: 'refused', message: text })
    if (ofStatement.has(reason)) throw new StatementFailure({ kind: 'failed', message: text })
    throw new ServerFault(`${reason === '' ? `HTTP ${status}` : reason}: ${text}`)
  }
  const parsed = schema.safeParse(body)
  if (parsed.success && status < 300) return parsed.data
  throw new ServerFault(`HTTP ${status} with what is no reply of BigQuery`)
}

function quoteBackticks(name: string): string {
  return `\`${name.replaceAll('`', '')}\``
}

function columnOf({ name, type, mode }: Field): Column {
  return { name, type: mode === 'REPEATED' ? `ARRAY<${type}>` : type }
}

/** cloud.google.com/bigquery/docs/reference/rest/v2/tabledata/list: every cell is a text, by the type of its field. */
export function toValue(cell: unknown, field: Field | undefined): Value {
  if (cell === null || cell === undefined) return null
  const type = field?.type ?? ''
  if (field?.mode === 'REPEATED' || type === 'RECORD' || type === 'STRUCT')
    return {
      kind: 'other',
      type: columnOf(field ?? { name: '', type }).type.toLowerCase(),
      text: jsonText(cell),
    }
  const text = String(cell)
  switch (type) {
    case 'INTEGER':
    case 'INT64':
      return toExactInteger(BigInt(text))
    case 'FLOAT':
    case 'FLOAT64':
      return Number(text)
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return { kind: 'decimal', text }
    case 'BOOLEAN':
    case 'BOOL':
      return text === 'true'
    case 'STRING':
      return text
    case 'DATE':
      return { kind: 'date', text }
    case 'DATETIME':
      return { kind: 'timestamp', text: text.replace('T', ' ') }
    case 'TIMESTAMP':
      return { kind: 'timestamp', text: `${momentOf(BigInt(text))}+00` }
    default:
      return { kind: 'other', type: type.toLowerCase(), text }
  }
}

/** Returns microseconds since 1970 as a timestamp. */
function momentOf(micros: bigint): string {
  const part = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const date = new Date(Number((micros - part) / 1000n)).toISOString()
  const decimals = part === 0n ? '' : `.${String(part).padStart(6, '0').replace(/0+$/, '')}`
  return `${date.slice(0, 10)} ${date.slice(11, 19)}${decimals}`
}
