import { resolve } from 'node:path'
import type { Dialect } from '../../enums/dialect.js'
import { AutotestError } from '../../errors.js'
import { unpackOutcome } from '../child/packed-outcome.js'
import type { ReplyBody } from '../child/protocol.js'
import type { Catalogue, Engine, QueryLimits, QueryOutcome } from '../contract/engine.js'
import type { EngineOptions } from '../contract/engine-kind.js'
import { createFuzzedCopies } from '../copies/fuzzed-copies.js'
import { EnginePool } from '../pool/pool.js'
import { type FileFormat, readDatabaseHeader } from './database-file.js'
import { fingerprintOf } from './fingerprint.js'
import { ensureFixture } from './fixture-database.js'

/** The differences, in the parent process, between engines whose database is a local file. */
export interface FileEngineKind extends FileFormat {
  readonly scheme: string
  readonly dialect: Dialect
  /** Suffixes of the files with data beside the database: a write-ahead log. */
  readonly companions: readonly string[]
  /** Suffixes of files that a build leaves beside an unfinished database. */
  readonly leftovers: readonly string[]
  /**
   * Returns the path that queries read; a kind that must not read in place makes a private copy, removed by
   * `release`.
   */
  readonly acquirePath: (path: string, head: Buffer) => Promise<{ path: string; release: () => void }>
}

/** The engine's own memory limit is below the one at which its process is killed. */
const engineShare = 0.6

/** Limits of internal queries, in milliseconds. */
const catalogueMs = 30_000

/** Opens a database file in a warm child process; throws `engine_unavailable`. */
export async function openFileEngine(
  kind: FileEngineKind,
  location: string,
  options: EngineOptions,
): Promise<Engine> {
  const path = resolve(options.root, location)
  await ensureFixture({ kind, path, name: location }, options)
  const head = readDatabaseHeader(path, location, kind)
  const place = await kind.acquirePath(path, head)
  const pool = new EnginePool({
    scheme: kind.scheme,
    open: { kind: 'open', path: place.path, memoryBytes: Math.floor(options.memoryBytes * engineShare) },
    name: location,
    concurrency: options.concurrency,
  })
  const close = async () => {
    await pool.close()
    place.release()
  }
  try {
    await pool.start()
  } catch (error) {
    await close()
    throw error
  }
  const files = [place.path, ...kind.companions.map((suffix) => place.path + suffix)]
  const fingerprint = () => fingerprintOf(files)
  return {
    url: `${kind.scheme}:${location}`,
    dialect: kind.dialect,
    query: (sql, limits) => ask(pool, { kind: 'query', sql, rows: limits.rows, bytes: limits.bytes }, limits),
    explain: (sql, limits) => ask(pool, { kind: 'explain', sql }, limits),
    catalogue: () => askCatalogue(pool, location, options.memoryBytes),
    fingerprint,
    copies: createFuzzedCopies({
      pool,
      path: place.path,
      name: location,
      root: options.root,
      memoryBytes: options.memoryBytes,
      fingerprint,
    }),
    close,
  }
}

async function ask(
  pool: EnginePool,
  request: Parameters<EnginePool['run']>[0],
  limits: QueryLimits,
): Promise<QueryOutcome> {
  const body = await pool.run(request, limits)
  if (body.kind === 'killed') return body
  if (body.kind === 'outcome') return unpackOutcome(body.outcome)
  throw unexpected(body)
}

async function askCatalogue(pool: EnginePool, name: string, memoryBytes: number): Promise<Catalogue> {
  const body = await pool.run({ kind: 'catalogue' }, { timeoutMs: catalogueMs, memoryBytes })
  if (body.kind === 'catalogue') return body.catalogue
  if (body.kind === 'killed') {
    throw new AutotestError('engine_unavailable', `${name}: reading the catalogue was ${body.message}`, {
      hint: 'Raise `limits.memory`, or close other users of the database.',
    })
  }
  throw unexpected(body)
}

function unexpected(body: ReplyBody): Error {
  return new Error(`engine child answered "${body.kind}"`)
}
