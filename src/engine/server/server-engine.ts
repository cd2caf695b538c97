import { createHash } from 'node:crypto'
import type { Dialect } from '../../enums/dialect.js'
import { unpackOutcome } from '../child/packed-outcome.js'
import type {
  DriverSettings,
  ServerReplyBody,
  ServerRequest,
  ServerSettings,
} from '../child/server-protocol.js'
import type { Catalogue, Engine, QueryLimits, QueryOutcome } from '../contract/engine.js'
import type { EngineOptions, FixedEngineKind } from '../contract/engine-kind.js'
import { rightsNote } from '../contract/role-rights.js'
import { type ScratchSchema, scratchTableName } from '../contract/scratch-schema.js'
import { prewarmServerChild } from '../pool/server-child.js'
import { ServerProcess } from '../pool/server-process.js'
import type { Environment } from './server-address.js'

/** Deadlines of internal requests, in milliseconds. */
const catalogueMs = 30_000
const fingerprintMs = 10_000
const scratchMs = 60_000

/** What differs between kinds of servers. */
export interface ServerKind<Settings extends DriverSettings> {
  readonly scheme: string
  readonly dialect: Dialect
  readonly judgesFunctions?: true
  /** What a query reads is paid for. */
  readonly isCharged?: true
  /** Throws `config_invalid`. */
  readonly settingsOf: (location: string, root: string, env: Environment) => Promise<Settings>
  /** Returns the address without secrets, as it is shown. */
  readonly shownUrl: (settings: Settings) => string
}

export function serverKind<Settings extends DriverSettings>(kind: ServerKind<Settings>): FixedEngineKind {
  return {
    scheme: kind.scheme,
    dialect: kind.dialect,
    isRemote: true,
    ...(kind.judgesFunctions === true ? { judgesFunctions: true } : {}),
    prewarm: () => prewarmServerChild(kind.scheme),
    open: async (location, options) =>
      openServerEngine(
        kind,
        await kind.settingsOf(location, options.root, { ...process.env, ...options.env }),
        options,
      ),
  }
}

/** Asks a server from a guarded child; throws `engine_unavailable`. */
async function openServerEngine<Settings extends DriverSettings>(
  { scheme, dialect, isCharged, shownUrl }: ServerKind<Settings>,
  settings: Settings,
  options: EngineOptions,
): Promise<Engine> {
  const url = shownUrl(settings)
  const onNote = options.onNote ?? (() => undefined)
  const server = new ServerProcess({
    scheme,
    connect: {
      kind: 'connect',
      settings: { ...settings, allowFunctions: options.allowFunctions },
      timeoutMs: settings.connectMs * 2,
    },
    name: url,
    concurrency: options.concurrency,
    memoryBytes: options.memoryBytes,
    onNote,
    onRights: options.onRights ?? ((rights) => onNote(rightsNote(rights))),
  })
  await server.start()
  const ask = async (request: ServerRequest): Promise<QueryOutcome> => {
    const answer = await server.run(request)
    if (answer.kind === 'killed') return answer
    if (answer.kind === 'outcome') return unpackOutcome(answer.outcome)
    throw unexpected(answer)
  }
  return {
    url,
    dialect,
    samples: isCharged === true ? 'charged' : 'free',
    query: (sql, { timeoutMs, rows, bytes }: QueryLimits) =>
      ask({ kind: 'query', sql, rows, bytes, timeoutMs }),
    explain: (sql, { timeoutMs }) => ask({ kind: 'explain', sql, timeoutMs }),
    async catalogue() {
      const answer = await server.run({ kind: 'catalogue', timeoutMs: catalogueMs })
      if (answer.kind === 'catalogue') return withoutCopies(answer.catalogue)
      throw unexpected(answer)
    },
    async fingerprint() {
      const answer = await server.run({ kind: 'fingerprint', timeoutMs: fingerprintMs })
      if (answer.kind !== 'fingerprint') throw unexpected(answer)
      return createHash('sha256').update(`${url}\0${answer.text}`).digest('hex')
    },
    ...(settings.scratch === undefined ? {} : { scratch: scratchSchema(settings.scratch, server) }),
    close: () => server.close(),
  }
}

function scratchSchema(schema: string, server: ServerProcess): ScratchSchema {
  const ask = async (request: ServerRequest): Promise<readonly string[]> => {
    const answer = await server.run(request)
    if (answer.kind === 'names') return answer.names
    throw unexpected(answer)
  }
  return {
    schema,
    tables: () => ask({ kind: 'scratch-tables', timeoutMs: scratchMs }),
    create: async (table) => void (await ask({ kind: 'create-scratch', ...table, timeoutMs: scratchMs })),
    drop: async (names) => void (await ask({ kind: 'drop-scratch', names, timeoutMs: scratchMs })),
  }
}

/** Copies are tables of nobody, wherever they were written. */
function withoutCopies({ tables, ...catalogue }: Catalogue): Catalogue {
  return {
    ...catalogue,
    tables: tables.filter(({ name }) => !scratchTableName.test(name.split('.').at(-1) ?? '')),
  }
}

/** Returns the address of a database server without secrets. */
export function shownServerUrl(scheme: string, { user, host, port, database }: ServerSettings): string {
  const name = encodeURIComponent(user)
  return host.startsWith('/')
    ? `${scheme}://${name}@/${database}?host=${host}`
    : `${scheme}://${name}@${host}:${port}/${database}`
}

function unexpected({ kind }: ServerReplyBody | QueryOutcome): Error {
  return new Error(`engine child answered "${kind}"`)
}
