import { Worker } from 'node:worker_threads'
import { messageOf } from '../../errors.js'
import { builtModulePath } from '../../platform/built-module.js'
import { packOutcome } from './packed-outcome.js'
import type { ChildDriver, Reply, ReplyBody, Request, Session } from './protocol.js'

/**
 * Entry point of an engine's child process: `main.js SCHEME`. Its only input is the parent's messages, and
 * standard output is never used for the protocol, because a statement can write there.
 */
const drivers: Readonly<Record<string, () => Promise<ChildDriver>>> = {
  duckdb: async () => (await import('./duckdb/session.js')).duckdbDriver,
  sqlite: async () => (await import('./sqlite/session.js')).sqliteDriver,
}

let session: Session | undefined
let isTainted = false
let isWatched = false
const parent = process.ppid

async function answer(driver: ChildDriver, request: Request): Promise<ReplyBody> {
  if (request.kind === 'open') {
    session = await driver.open(request.path, request.memoryBytes)
    return { kind: 'done' }
  }
  watchParent()
  if (request.kind === 'build') {
    await driver.build(request.script, request.target)
    return { kind: 'done' }
  }
  if (session === undefined) throw new Error(`"${request.kind}" before "open"`)
  switch (request.kind) {
    case 'query':
      return { kind: 'outcome', outcome: packOutcome(await session.query(request.sql, request)) }
    case 'fuzz':
      await session.fuzz(request)
      return { kind: 'done' }
    case 'rearrange':
      await session.reorderRows(request)
      return { kind: 'done' }
    case 'place':
      await session.injectValues(request)
      return { kind: 'done' }
    case 'explain':
      return { kind: 'outcome', outcome: await session.explain(request.sql) }
    case 'catalogue':
      return { kind: 'catalogue', catalogue: await session.catalogue() }
  }
}

async function serve(driver: ChildDriver, request: Request): Promise<void> {
  // The parent ends a tainted child; requests in the pipe are sent to another child.
  if (isTainted) return
  let body: ReplyBody
  try {
    body = await answer(driver, request)
  } catch (error) {
    // A failure of the engine and a bug of this program look alike to the parent: neither is a wrong answer.
    body = { kind: 'unavailable', message: messageOf(error) }
  }
  isTainted = (await session?.isTainted()) ?? false
  const reply: Reply = { body, residentBytes: process.memoryUsage.rss(), isTainted: isTainted }
  process.send?.(reply)
}

/** Ends this process when its parent is gone, even during a statement that never yields to the event loop. */
function watchParent(): void {
  if (isWatched) return
  isWatched = true
  new Worker(builtModulePath('engine/child/parent-watch.js'), {
    workerData: parent,
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  }).unref()
}

// A terminal sends Ctrl-C to the whole group; the parent decides when to stop.
process.on('SIGINT', () => undefined)
// A regular exit ends the thread that watches the parent, then waits for DuckDB's running statement, forever
// if that does not end.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

const load = drivers[process.argv[2] ?? '']
if (load === undefined) throw new Error(`no driver for engine "${process.argv[2] ?? ''}"`)
const driver = await load()
// One at a time, in their order.
let last = Promise.resolve()
process.on('message', (request: Request) => {
  last = last.then(() => serve(driver, request))
})
