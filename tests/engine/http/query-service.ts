import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Engine, QueryOutcome, Value } from '../../../src/engine/contract/engine.js'

/** A query service as a team would run one: executes on an engine, answers page by page, wants a token. */
export interface QueryService {
  /** `http://127.0.0.1:PORT/query` */
  readonly address: string
  /** Requests so far, as `POST /query`. */
  readonly requests: readonly string[]
  close(): Promise<void>
}

export interface ServiceSettings {
  readonly engine: Engine
  readonly token?: string
  /** Rows of a page; the rest is at `next`. */
  readonly pageRows?: number
  /** Answers instead of the service; false leaves it to the service. */
  readonly instead?: (request: IncomingMessage, response: ServerResponse, count: number) => boolean
}

/** A query of this service runs for so long at most, in milliseconds. */
const timeoutMs = 3000

export async function startService(settings: ServiceSettings): Promise<QueryService> {
  const requests: string[] = []
  const results = new Map<string, readonly (readonly Value[])[]>()
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    if (settings.instead?.(request, response, requests.length) === true) return
    answer(request, settings, results).then(
      ({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(body)
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}/query`,
    requests,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function answer(
  request: IncomingMessage,
  settings: ServiceSettings,
  results: Map<string, readonly (readonly Value[])[]>,
): Promise<{ status: number; body: string }> {
  const { token, engine, pageRows = 300 } = settings
  if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
    return { status: 401, body: '{"error":"who are you?"}' }
  const page = new URL(request.url ?? '/', 'http://host').searchParams
  const kept = results.get(page.get('result') ?? '')
  if (kept !== undefined)
    return { status: 200, body: pageOf(kept, page.get('result') ?? '', Number(page.get('from')), pageRows) }
  let text = ''
  for await (const part of request) text += part
  const { sql, limit } = JSON.parse(text) as { sql: string; limit: number }
  const limits = { timeoutMs, rows: limit, bytes: 64e6, memoryBytes: 1e9 }
  const outcome: QueryOutcome =
    limit === 0 ? await engine.explain(sql, limits) : await engine.query(sql, limits)
  if (outcome.kind !== 'rows') return { status: 400, body: JSON.stringify({ error: outcome.message }) }
  const { columns, rows } = outcome.result
  const id = String(results.size + 1)
  results.set(id, rows)
  const first = pageOf(rows, id, 0, pageRows)
  return { status: 200, body: `{"columns":${JSON.stringify(columns)},${first.slice(1)}` }
}

function pageOf(rows: readonly (readonly Value[])[], id: string, from: number, size: number): string {
  const part = rows.slice(from, from + size).map((row) => `[${row.map(cellText).join(',')}]`)
  const next = from + size < rows.length ? `"/query?result=${id}&from=${from + size}"` : 'null'
  return `{"rows":[${part.join(',')}],"error":null,"next":${next}}`
}

/** JSON has integers of any length; JSON.stringify has not. */
function cellText(cell: Value): string {
  if (typeof cell === 'bigint') return String(cell)
  return JSON.stringify(typeof cell === 'object' && cell !== null ? cell.text : cell)
}
