import { createHash } from 'node:crypto'
import pLimit from 'p-limit'
import { AutotestError } from '../../errors.js'
import { addressSecret, headerProblem } from '../../text/secrets.js'
import type { Engine, QueryLimits, QueryOutcome } from '../contract/engine.js'
import type { EngineKind, EngineOptions } from '../contract/engine-kind.js'
import { refusalReason } from '../query/single-query-check.js'
import { catalogueOf, catalogueQuery } from './catalogue-query.js'
import type { ServiceOptions } from './query-service-client.js'

/** Limits of internal queries. */
const internalLimits: QueryLimits = { timeoutMs: 30_000, rows: 200_000, bytes: 64e6, memoryBytes: 0 }

/**
 * `http:https://host/path`: a query service that receives `{sql, limit}` and answers `{columns, rows, error,
 * next}`. A `limit` of 0 requests the columns only. The service restricts what a query may do and use.
 */
export const httpKind: EngineKind = {
  scheme: 'http',
  dialect: undefined,
  async open(location, options) {
    const service = parseServiceOptions(location, options)
    const { dialect } = options
    if (dialect === undefined) {
      throw new AutotestError('config_invalid', `engine http:${service.name} needs a dialect`, {
        hint: 'Set `dialect` in autotest.config.yaml (or --dialect) to the SQL dialect of the service, as in dialect: trino.',
      })
    }
    const closing = new AbortController()
    // The reader of streamed JSON is loaded only if a service is used.
    const { runServiceQuery } = await import('./query-service-client.js')
    const turn = pLimit(Math.max(1, options.concurrency))
    const run = async (sql: string, limits: QueryLimits, limit?: number): Promise<QueryOutcome> => {
      if (closing.signal.aborted)
        throw new AutotestError('engine_unavailable', `${service.name}: the engine is closed`)
      const refused = refusalReason(sql, dialect)
      if (refused !== undefined) return { kind: 'refused', message: refused }
      return turn(() => runServiceQuery(service, sql, limits, closing.signal, limit))
    }
    await assertServiceAnswers(run, service)
    const opened = `${service.base.href} ${Date.now()}`
    const engine: Engine = {
      url: `http:${service.name}`,
      dialect,
      query: (sql, limits) => run(sql, limits),
      explain: (sql, limits) => run(sql, limits, 0),
      async catalogue() {
        const outcome = await run(catalogueQuery(dialect), internalLimits)
        // Suggestions are useful, but no query depends on them.
        return outcome.kind === 'rows' ? catalogueOf(outcome.result) : { tables: [], isPartial: true }
      },
      // A service does not report changes of its data: entries cached under this key are valid while the
      // engine is open.
      fingerprint: async () => createHash('sha256').update(opened).digest('hex'),
      close: async () => closing.abort(),
    }
    return engine
  },
}

async function assertServiceAnswers(
  run: (sql: string, limits: QueryLimits) => Promise<QueryOutcome>,
  { name }: ServiceOptions,
): Promise<void> {
  const outcome = await run('SELECT 1', internalLimits)
  if (outcome.kind === 'rows') return
  throw new AutotestError('engine_unavailable', `${name} cannot run SELECT 1: ${outcome.message}`, {
    hint: 'Check that `engine` is the address of a query service, and that the service is running.',
  })
}

function parseServiceOptions(location: string, options: EngineOptions): ServiceOptions {
  const base = URL.canParse(location) ? new URL(location) : undefined
  if (base === undefined || !/^https?:$/.test(base.protocol)) {
    throw new AutotestError('engine_unknown', 'engine "http:" has no address', {
      hint: 'Write the address of the query service, as in https://host/path',
    })
  }
  const secret = addressSecret(location)
  if (secret !== undefined) {
    throw new AutotestError(
      'engine_unknown',
      `engine http:${base.origin}${base.pathname} contains ${secret}`,
      {
        hint: `Remove it: the service gets its token from the environment (${options.token?.variable ?? 'engine_token_env'}).`,
      },
    )
  }
  const { variable = 'the variable of engine_token_env', value } = options.token ?? {}
  const unsendable = value === undefined ? undefined : headerProblem(value)
  if (unsendable !== undefined) {
    throw new AutotestError('config_invalid', `the token in ${variable} contains ${unsendable}`, {
      hint: 'Set it again: a token is one line of ordinary characters.',
    })
  }
  return {
    base,
    name: base.origin + base.pathname,
    token: value,
    tokenVariable: variable,
  }
}
