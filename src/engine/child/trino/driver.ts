import { callsIn } from '../../../sql-text/calls.js'
import { withoutTerminator } from '../../../sql-text/scan.js'
import type { Catalogue, QueryOutcome, ResultSet } from '../../contract/engine.js'
import { quoteName } from '../../query/quote-names.js'
import { refusalReason } from '../../query/single-query-check.js'
import type { QueryCaps } from '../protocol.js'
import type { RequestClock } from '../request-clock.js'
import { scratchTables } from '../scratch-tables.js'
import {
  type ScratchTables,
  type ServerDriver,
  ServerFault,
  type ServerSession,
  type ServiceSettings,
} from '../server-protocol.js'
import { createTokens } from '../service/access-token.js'
import { catalogueFrom, columnsQuery } from '../service/catalogue.js'
import { RestClient } from '../service/rest-client.js'
import { runOnService } from '../service/run-on-service.js'
import { startStatement } from './statement.js'

type Caps = Pick<QueryCaps, 'rows' | 'bytes'>

const internalCaps: Caps = { rows: 500_000, bytes: 128_000_000 }

/** Table functions that hand a text to another engine, which runs whatever it says (trino.io/docs/current/connector/postgresql.html). */
const passesThrough = new Set(['query', 'raw_query', 'execute'])

/** Trino by its statement protocol; its headers begin with `X-Trino-`, those of older servers with `X-Presto-`. */
function driverOf(name: 'Trino' | 'Presto'): ServerDriver<ServiceSettings> {
  return {
    async connect(settings, clock) {
      const session = openSession(name, settings)
      await checkPlace(session.run, settings, clock)
      const opened = `${settings.origin} ${Date.now()}`
      return { ...session.methods, notes: [], fingerprint: async () => opened }
    },
  }
}

export const trinoDriver = driverOf('Trino')
export const prestoDriver = driverOf('Presto')

type Run = (sql: string, caps: Caps, clock: RequestClock) => Promise<QueryOutcome>

function openSession(
  name: string,
  settings: ServiceSettings,
): { readonly run: Run; readonly methods: Omit<ServerSession, 'notes' | 'fingerprint'> } {
  const client = new RestClient(settings, (token) => headersOf(name, settings, token), createTokens(settings))
  // Nothing that a reply sets (`X-Trino-Set-Session`, …) is sent again: each statement has the session of the settings.
  const run: Run = (sql, caps, clock) =>
    runOnService((within) => startStatement(client, sql, {}, within), caps, clock)
  return {
    run,
    methods: {
      query: async (sql, caps, clock) => refusal(sql) ?? run(withoutTerminator(sql, 'trino'), caps, clock),
      explain: async (sql, clock) =>
        refusal(sql) ??
        run(`SELECT * FROM (\n${withoutTerminator(sql, 'trino')}\n) LIMIT 0`, internalCaps, clock),
      catalogue: (clock) => catalogueOf(run, settings, clock),
      scratch: scratchOf(run, settings),
    },
  }
}

/** Writes where the address says so; a statement stands for itself, since many connectors have no transactions. */
function scratchOf(run: Run, settings: ServiceSettings): ScratchTables | undefined {
  const place = scratchPlace(settings)
  if (place === undefined) return undefined
  const schema = `${quoteName(place.catalog)}.${quoteName(place.schema)}`
  return scratchTables({
    schema,
    quote: quoteName,
    newName: (table) => `${schema}.${quoteName(table)}`,
    refusalOf,
    async run(statements, clock) {
      for (const sql of statements) rowsOf(await run(sql, internalCaps, clock))
    },
    names: async (clock) =>
      rowsOf(await run(`SHOW TABLES FROM ${schema}`, internalCaps, clock)).rows.map(([table]) =>
        String(table),
      ),
  })
}

function scratchPlace({ catalog, scratch }: ServiceSettings) {
  if (scratch === undefined) return undefined
  const [schema = '', other = catalog] = scratch.split('.').reverse()
  return { catalog: other, schema }
}

function refusal(sql: string): QueryOutcome | undefined {
  const message = refusalOf(sql)
  return message === undefined ? undefined : { kind: 'refused', message }
}

function refusalOf(sql: string): string | undefined {
  const passed = callsIn(sql, 'trino').find(
    ({ name, argumentOf }) => argumentOf === 'table' && passesThrough.has(name),
  )
  return (
    refusalReason(sql, 'trino') ??
    (passed === undefined ? undefined : `the table function ${passed.name} hands SQL to another engine`)
  )
}

function headersOf(
  name: string,
  { user, catalog, schema, credentials }: ServiceSettings,
  secret: string | undefined,
): Readonly<Record<string, string>> {
  const own = Object.entries({
    User: user,
    Source: 'autotest',
    Catalog: catalog,
    Schema: schema,
    'Time-Zone': 'UTC',
    // Timestamps with all their digits.
    'Client-Capabilities': 'PARAMETRIC_DATETIME',
  })
  const sent = own.filter(([, value]) => value !== '').map(([key, value]) => [`X-${name}-${key}`, value])
  return { ...Object.fromEntries(sent), ...authorization(user, credentials.kind, secret) }
}

function authorization(user: string, kind: string, secret: string | undefined): Record<string, string> {
  if (secret === undefined) return {}
  const basic = Buffer.from(`${user}:${secret}`).toString('base64')
  return { authorization: kind === 'password' ? `Basic ${basic}` : `Bearer ${secret}` }
}

/** Checks that a query runs and that catalogue and schema exist. Throws `ServerFault`. */
async function checkPlace(run: Run, settings: ServiceSettings, clock: RequestClock): Promise<void> {
  const { catalog, schema } = settings
  rowsOf(await run('SELECT 1', internalCaps, clock))
  await checkScratch(run, settings, clock)
  if (catalog === '') return
  const { rows } = rowsOf(await run(`SHOW SCHEMAS FROM ${quoteName(catalog)}`, internalCaps, clock), catalog)
  if (schema !== '' && !rows.some(([name]) => name === schema))
    throw new ServerFault(`the catalogue ${catalog} has no schema ${schema}`, {
      hint: `It has ${rows
        .map(([name]) => name)
        .slice(0, 20)
        .join(', ')}.`,
    })
}

async function checkScratch(run: Run, settings: ServiceSettings, clock: RequestClock): Promise<void> {
  const place = scratchPlace(settings)
  if (place === undefined) return
  const outcome = await run(`SHOW SCHEMAS FROM ${quoteName(place.catalog)}`, internalCaps, clock)
  if (outcome.kind === 'rows' && outcome.result.rows.some(([name]) => name === place.schema)) return
  const problem =
    outcome.kind === 'rows' ? `the catalogue ${place.catalog} has no schema ${place.schema}` : outcome.message
  throw new ServerFault(`no schema for copies: ${problem}`, {
    hint: 'Create it, write it as ?scratch=catalogue.schema, or leave it out.',
  })
}

function rowsOf(outcome: QueryOutcome, catalog?: string): ResultSet {
  if (outcome.kind === 'rows') return outcome.result
  throw new ServerFault(outcome.message, {
    hint: catalog === undefined ? undefined : 'Write it as trino://user@host:port/catalogue/schema.',
  })
}

async function catalogueOf(
  run: Run,
  { catalog, schema }: ServiceSettings,
  clock: RequestClock,
): Promise<Catalogue> {
  if (catalog === '') return { tables: [], isPartial: true }
  const result = rowsOf(await run(columnsQuery(quoteName(catalog)), internalCaps, clock))
  return catalogueFrom(result, schema)
}
