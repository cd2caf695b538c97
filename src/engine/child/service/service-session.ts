import { createHash } from 'node:crypto'
import type { Dialect } from '../../../enums/dialect.js'
import { callsIn, namesIn } from '../../../sql-text/calls.js'
import { withoutTerminator } from '../../../sql-text/scan.js'
import type { Catalogue, QueryOutcome, ResultSet } from '../../contract/engine.js'
import { refusalByLeadingKeyword } from '../../query/leading-keyword-check.js'
import type { QueryCaps } from '../protocol.js'
import type { RequestClock } from '../request-clock.js'
import { ServerFault, type ServerSession } from '../server-protocol.js'
import { catalogueFrom } from './catalogue.js'
import { runOnService, type ServiceStatement } from './run-on-service.js'

type Caps = Pick<QueryCaps, 'rows' | 'bytes'>

const internalCaps: Caps = { rows: 500_000, bytes: 128_000_000 }
const keywords = ['SELECT', 'WITH', 'VALUES']

/** What differs between services whose server itself takes one statement at a time. */
export interface ServiceDialect {
  readonly start: (sql: string, caps: Caps, signal: AbortSignal) => Promise<ServiceStatement>
  /** Returns columns without running the statement; absent: it is run for no rows. */
  readonly describe?: (sql: string, signal: AbortSignal) => Promise<QueryOutcome>
  readonly dialect: Dialect
  /** Whole names of functions that reach beyond the data, in lower case. */
  readonly refused: RegExp
  readonly columnsQuery: string
  readonly schema: string
  readonly quote: (name: string) => string
  /** An address, for the fingerprint: no service says when its data change. */
  readonly name: string
}

/** Returns the session of a service, after a first query that shows that it answers. Throws `ServerFault`. */
export async function openServiceSession(
  service: ServiceDialect,
  clock: RequestClock,
): Promise<ServerSession> {
  const run = (sql: string, caps: Caps, within: RequestClock): Promise<QueryOutcome> =>
    runOnService((graceful) => service.start(sql, caps, graceful), caps, within)
  rowsOf(await run('SELECT 1', internalCaps, clock))
  const opened = createHash('sha256').update(`${service.name} ${Date.now()}`).digest('hex')
  return {
    notes: [],
    query: async (sql, caps, within) =>
      refusalOf(sql, service) ?? run(withoutTerminator(sql, service.dialect), caps, within),
    explain: async (sql, within) => {
      const refusal = refusalOf(sql, service)
      if (refusal !== undefined) return refusal
      if (service.describe !== undefined)
        return service.describe(withoutTerminator(sql, service.dialect), within.signal)
      return run(
        `SELECT * FROM (\n${withoutTerminator(sql, service.dialect)}\n) AS autotest LIMIT 0`,
        internalCaps,
        within,
      )
    },
    async catalogue(within): Promise<Catalogue> {
      if (service.columnsQuery === '') return { tables: [], isPartial: true }
      const result = rowsOf(await run(service.columnsQuery, internalCaps, within))
      return catalogueFrom(result, service.schema, service.quote)
    },
    fingerprint: async () => opened,
  }
}

function rowsOf(outcome: QueryOutcome): ResultSet {
  if (outcome.kind === 'rows') return outcome.result
  throw new ServerFault(outcome.message, { hint: 'Check catalogue, schema and rights of `engine`.' })
}

function refusalOf(sql: string, service: ServiceDialect): QueryOutcome | undefined {
  const message = refusalByLeadingKeyword(sql, keywords, service.dialect) ?? refusalByFunction(sql, service)
  return message === undefined ? undefined : { kind: 'refused', message }
}

function refusalByFunction(sql: string, { dialect, refused }: ServiceDialect): string | undefined {
  for (const { name, texts } of callsIn(sql, dialect)) {
    // Snowflake and Databricks call what such a text names: IDENTIFIER('f')(1).
    if (name === 'identifier' && texts === undefined)
      return 'IDENTIFIER of something other than a text cannot be judged'
    const named = name === 'identifier' ? (texts ?? []).flatMap((text) => namesIn(text, dialect)) : [name]
    const found = named.find((each) => refused.test(each))
    if (found !== undefined) return `${found} does more than to read the data`
  }
  return undefined
}
