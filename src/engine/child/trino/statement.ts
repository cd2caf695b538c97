import { z } from 'zod'
import type { Column, Value } from '../../contract/engine.js'
import { quoteIfNeeded } from '../../query/quote-names.js'
import { ServerFault } from '../server-protocol.js'
import type { RestClient, RestReply } from '../service/rest-client.js'
import { type ServicePage, type ServiceStatement, StatementFailure } from '../service/run-on-service.js'
import { toValue } from './convert-value.js'

/** A reply of the statement protocol (trino.io/docs/current/develop/client-protocol.html). */
const replySchema = z.looseObject({
  id: z.string(),
  nextUri: z.string().optional(),
  columns: z.array(z.looseObject({ name: z.string(), type: z.string() })).optional(),
  data: z.array(z.array(z.unknown())).optional(),
  stats: z
    .looseObject({
      state: z.string().optional(),
      physicalInputBytes: z.number().optional(),
      processedBytes: z.number().optional(),
    })
    .optional(),
  error: z
    .looseObject({
      message: z.string(),
      errorName: z.string().default(''),
      errorType: z.string().default(''),
    })
    .optional(),
})

type Reply = z.infer<typeof replySchema>

/** Names of errors that users cause and that say nothing about the statement. */
const others = new Set(['USER_CANCELED', 'ADMINISTRATIVELY_KILLED', 'CLUSTER_OUT_OF_MEMORY'])

/** States of a query that has not begun: a resource group is full, or the cluster has no memory for it. */
const waiting = new Set(['QUEUED', 'WAITING_FOR_RESOURCES'])

/** Sends a statement; it begins to run when its first page is asked for. */
export async function startStatement(
  client: RestClient,
  sql: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ServiceStatement> {
  let reply = checked(
    await client.send({ method: 'POST', path: '/v1/statement', headers, body: sql, signal }),
  )
  let columns: readonly Column[] = []
  // Until the cluster says that it waits, its time is the query's own.
  let isQueued = false
  const pageOf = ({ error, columns: named, data = [], nextUri, stats }: Reply): ServicePage => {
    if (error !== undefined) throw failureOf(error, client, isQueued)
    const isWaiting = stats?.state !== undefined && waiting.has(stats.state)
    isQueued = isWaiting
    if (named !== undefined) columns = named.map(({ name, type }) => ({ name, type: type.toLowerCase() }))
    const rows = data.map((row): readonly Value[] =>
      row.map((cell, at) => toValue(cell, columns[at]?.type ?? '')),
    )
    const waitingFor = isWaiting ? `its turn in the queue of the cluster (${stats?.state})` : undefined
    return { rows, isLast: nextUri === undefined, waitingFor }
  }
  let isFirst = true
  return {
    columns: () => columns,
    // Older servers do not tell what came from storage.
    scannedBytes: () => reply.stats?.physicalInputBytes ?? reply.stats?.processedBytes,
    async nextPage(within) {
      if (!isFirst && reply.nextUri !== undefined)
        reply = checked(await client.send({ method: 'GET', path: reply.nextUri, signal: within }))
      isFirst = false
      return pageOf(reply)
    },
    async cancel(within) {
      if (reply.nextUri !== undefined)
        await client.send({ method: 'DELETE', path: reply.nextUri, signal: within })
    },
  }
}

function checked({ status, body }: RestReply): Reply {
  // A coordinator that was started again knows nothing of it.
  if (status === 404 || status === 410)
    throw new ServerFault(
      'the coordinator no longer knows the query: it was started again, or the path is no Trino',
      {
        hint: 'Check `engine` and the coordinator, then run again.',
      },
    )
  const parsed = replySchema.safeParse(body)
  if (status < 300 && parsed.success) return parsed.data
  throw new ServerFault(`HTTP ${status} with what is no reply of Trino`, {
    hint: 'Check that `engine` is the address of a coordinator.',
  })
}

/** The cluster has more queries than it takes, or has ended one that was waiting. */
const full = new Set(['QUERY_QUEUE_FULL', 'CLUSTER_OUT_OF_MEMORY'])

/** Returns what an error means: one of the statement, a limit, or one of the cluster, which blames no statement. */
function failureOf(
  { message, errorName, errorType }: NonNullable<Reply['error']>,
  client: RestClient,
  isQueued: boolean,
): Error {
  const text = client.oneLine(message)
  const isTime = /^EXCEEDED_(?:TIME_LIMIT|CPU_LIMIT|SCAN_LIMIT)$/.test(errorName)
  if (full.has(errorName) || (isTime && isQueued))
    return new ServerFault(`the cluster is busy: ${text}`, {
      hint: 'Other queries fill it, or its resource group: run again later, or lower `limits.concurrency`.',
      kind: 'busy',
    })
  if (isTime) return new StatementFailure({ kind: 'killed', limit: 'deadline', message: text })
  if (/^EXCEEDED_(?:LOCAL|GLOBAL)_MEMORY_LIMIT$/.test(errorName))
    return new StatementFailure({ kind: 'killed', limit: 'memory', message: text })
  if (errorType === 'USER_ERROR' && !others.has(errorName)) {
    const kind = errorName === 'SYNTAX_ERROR' && !/syntax/i.test(text) ? 'syntax error: ' : ''
    const setup = errorName === 'PERMISSION_DENIED' ? missingRight(text, client.user) : undefined
    return new StatementFailure({ kind: 'failed', message: `${kind}${text}`, setup })
  }
  return new ServerFault(`${errorName === '' ? 'the cluster' : errorName}: ${text}`, {
    hint: 'This is of the cluster and not of the query; see its web page for the state of its nodes.',
  })
}

/** "Access Denied: Cannot select from columns [a, b] in table or view memory.shop.orders" */
function missingRight(message: string, user: string): string {
  const table = /\bfrom (?:columns .* in )?(?:table|view|table or view) ([^\s:]+)/.exec(message)?.[1]
  return table === undefined
    ? `${message}: grant ${user} the right, by the access control of the cluster`
    : `${message}. Run: GRANT SELECT ON ${table} TO ${quoteIfNeeded(user)} (or allow it in the rules of the access control)`
}
