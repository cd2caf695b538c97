import { createHash, randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { access, constants, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ensureStateFolder } from '../../edit/state-folder.js'
import { AutotestError } from '../../errors.js'
import { keepUnlessFailed } from '../../platform/keep-unless-failed.js'
import { unpackOutcome } from '../child/packed-outcome.js'
import type { Request } from '../child/protocol.js'
import type { CopySpec } from '../contract/copy-spec.js'
import type { CopyQueries, FuzzedCopies, FuzzedCopy, QueryLimits, QueryOutcome } from '../contract/engine.js'
import { profileOf } from '../fuzz/copy-profiles.js'
import type { EnginePool } from '../pool/pool.js'
import { markUsed, removeStale, removeUnfinished } from './fuzzed-copies-cache.js'

/** Part of the names of copies: incremented when the same seed gives other rows. */
const version = 13
/**
 * Rows that a copy takes of one table, and cells of all: a child holds them in some 500 MB and writes them
 * within seconds.
 */
const taken = { rows: 8_000, cells: 2_000_000 }
/** A larger database, in bytes, is not written in another order: that would take too long. */
const mostRearranged = 64e6
const makingMs = 120_000

export interface CopiesOptions {
  /** Child processes that have the original open. */
  readonly pool: EnginePool
  /** Absolute path of the database. */
  readonly path: string
  /** The database as configured, for messages. */
  readonly name: string
  readonly root: string
  readonly memoryBytes: number
  readonly fingerprint: () => Promise<string>
}

/**
 * Creates fuzzed copies below `.autotest/fuzz/` of the project, made on first use and shared between runs.
 */
export function createFuzzedCopies(options: CopiesOptions): FuzzedCopies {
  const opening = new Map<string, Promise<FuzzedCopy>>()
  const rearranged = new Map<string, Promise<string>>()
  const folders = new Map<'cache', Promise<string>>()
  const folder = (): Promise<string> => keepUnlessFailed(folders, 'cache', () => cacheFolder(options))
  return {
    open: (spec) =>
      keepUnlessFailed(opening, copyName(spec), async () => openCopy(await folder(), spec, options)),
    async queryReordered(sql, limits, seed) {
      const { path, pool } = options
      if (statSync(path).size > mostRearranged) return undefined
      const name = `original-${seed === undefined ? 'reversed' : `order-${seed}`}.db`
      const making = keepUnlessFailed(rearranged, name, async () =>
        buildOnce(join(await folder(), name), options, (target) => ({
          kind: 'rearrange',
          copy: path,
          target,
          seed,
        })),
      )
      return queryAt(pool, await making, sql, limits)
    },
  }
}

/**
 * Returns the folder for this state of the database, marked as used; those of earlier states are removed in
 * time.
 */
async function cacheFolder(options: CopiesOptions): Promise<string> {
  const all = await ensureStateFolder(options.root, 'fuzz')
  const own = `${(await options.fingerprint()).slice(0, 16)}-v${version}`
  await removeStale(all, own)
  const folder = join(all, own)
  await mkdir(folder, { recursive: true })
  await markUsed(folder)
  await removeUnfinished(folder)
  return folder
}

async function openCopy(folder: string, spec: CopySpec, options: CopiesOptions): Promise<FuzzedCopy> {
  const path = join(folder, `${copyName(spec)}.db`)
  const make = (): Promise<string> =>
    buildOnce(path, options, (target) => ({ kind: 'fuzz', target, spec, ...taken }))
  await make()
  const { title } = profileOf(spec.index)
  let copy = copyAt(path, title, options)
  let remade: Promise<void> | undefined
  /** Makes a copy again from its seed if its file was damaged. */
  const orRemade = async <T>(use: () => Promise<T>): Promise<T> => {
    try {
      return await use()
    } catch (error) {
      if (!(error instanceof AutotestError) || error.code !== 'engine_unavailable') throw error
      remade ??= (async () => {
        for (const file of [path, reorderedPath(path)]) await rm(file, { force: true })
        await make()
        copy = copyAt(path, title, options)
      })()
      await remade.catch((cause: unknown) => {
        remade = undefined
        throw cause
      })
      return use()
    }
  }
  return {
    title,
    query: (sql, limits) => orRemade(() => copy.query(sql, limits)),
    queryReordered: (sql, limits) => orRemade(() => copy.queryReordered(sql, limits)),
    withValues: (values, spread) => orRemade(() => copy.withValues(values, spread)),
  }
}

function copyAt(copy: string, title: string, options: CopiesOptions): FuzzedCopy {
  return {
    ...copyQueriesFor(copy, title, options),
    async withValues(values, spread) {
      const own = copy.replace(/\.db$/u, `-values-${process.pid}-${randomBytes(6).toString('hex')}.tmp`)
      await buildOnce(own, options, (target) => ({ kind: 'place', copy, target, values, spread }))
      return {
        ...copyQueriesFor(own, `${title}, with values from the queries`, options),
        async close() {
          for (const path of [own, reorderedPath(own)]) await rm(path, { force: true })
        },
      }
    },
  }
}

function copyName({ seed, index, tables }: CopySpec): string {
  const name = `seed-${seed}-copy-${index}`
  if (tables === undefined) return name
  return `${name}-${createHash('sha256').update(JSON.stringify(tables)).digest('hex').slice(0, 12)}`
}

function reorderedPath(path: string): string {
  return path.replace(/\.[a-z]+$/u, '-rearranged$&')
}

function copyQueriesFor(copy: string, title: string, options: CopiesOptions): CopyQueries {
  const { pool } = options
  let rearranged: Promise<string> | undefined
  return {
    title,
    query: (sql, limits) => queryAt(pool, copy, sql, limits),
    async queryReordered(sql, limits) {
      rearranged ??= buildOnce(reorderedPath(copy), options, (target) => ({
        kind: 'rearrange',
        copy,
        target,
      }))
      return queryAt(pool, await rearranged, sql, limits)
    },
  }
}

async function queryAt(
  pool: EnginePool,
  database: string,
  sql: string,
  limits: QueryLimits,
): Promise<QueryOutcome> {
  const caps = { rows: limits.rows, bytes: limits.bytes, database }
  const body = await pool.run({ kind: 'query', sql, ...caps }, limits)
  if (body.kind === 'killed') return body
  if (body.kind === 'outcome') return unpackOutcome(body.outcome)
  throw new Error(`engine child answered "${body.kind}"`)
}

/**
 * Makes a child write a database if it does not exist; returns its path. Other runs may do the same at the
 * same time.
 */
async function buildOnce(
  path: string,
  options: CopiesOptions,
  requestFor: (target: string) => Request,
): Promise<string> {
  if (existsSync(path)) return path
  await access(dirname(path), constants.W_OK).catch((cause: unknown) => {
    throw new AutotestError('engine_unavailable', `${dirname(path)} is not writable`, {
      hint: 'Make the folder writable, or remove it.',
      cause,
    })
  })
  const unfinished = `${path}.${process.pid}.${randomBytes(3).toString('hex')}.tmp`
  try {
    const body = await options.pool.run(requestFor(unfinished), {
      timeoutMs: makingMs,
      memoryBytes: options.memoryBytes,
    })
    if (body.kind === 'killed') {
      // A slow machine is no property of the database: the run must not go on as if it had no copies.
      const code = body.limit === 'deadline' ? 'query_timeout' : 'engine_unavailable'
      throw new AutotestError(code, `${options.name}: a fuzzed copy was ${body.message}`, {
        hint: 'Raise `limits.memory`, or set `scoring.fuzz_source` to a smaller database.',
      })
    }
    if (body.kind !== 'done') throw new Error(`engine child answered "${body.kind}"`)
    await rename(unfinished, path)
    return path
  } finally {
    for (const suffix of ['', '.wal', '-journal']) await rm(unfinished + suffix, { force: true })
  }
}
