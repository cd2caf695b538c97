import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { AutotestError, messageOf } from '../../errors.js'
import { makeFolder } from '../../platform/make-folder.js'
import { readRegularFile } from '../../platform/read-regular-file.js'
import { pointerFile } from '../../snapshot/pointer-file.js'
import type { EngineOptions } from '../contract/engine-kind.js'
import { EngineProcess } from '../pool/engine-process.js'

interface Target {
  readonly kind: { readonly scheme: string; readonly leftovers: readonly string[] }
  /** Absolute path of the database. */
  readonly path: string
  /** As configured, for messages. */
  readonly name: string
}

type State = 'keep' | 'create' | 'rebuild'

/**
 * Builds the database from `options.fixture` if it does not exist, or if its record names another script. A
 * database without a record beside it was not built here and is never changed. Throws `engine_unavailable`.
 */
export async function ensureFixture(target: Target, options: EngineOptions): Promise<void> {
  const { fixture } = options
  if (fixture === undefined) return
  const scriptPath = resolve(options.root, fixture)
  if (existsSync(target.path) && !existsSync(scriptPath)) return
  const script = await readScript(scriptPath, fixture)
  const pointer = pointerFile(script, fixture)
  if (pointer !== undefined)
    throw new AutotestError('engine_unavailable', `${fixture} ${pointer.message}`, {
      hint: `Run: ${pointer.command}`,
    })
  const hash = createHash('sha256').update(script).digest('hex')
  const state = decide(existsSync(target.path), readRecordedHash(target.path), hash)
  if (state === 'keep') return
  options.onNote?.(`building ${target.name} from ${fixture}`)
  try {
    await build(target, script.toString('utf8'), hash, state)
  } catch (cause) {
    throw new AutotestError('engine_unavailable', `${fixture}: ${messageOf(cause)}`, {
      hint: `Correct the script, or check that the folder of ${target.name} is writable.`,
      cause,
    })
  }
}

/** Decides what to do. `record`: the hash beside the database, undefined if there is none. */
function decide(exists: boolean, record: string | undefined, hash: string): State {
  if (!exists) return 'create'
  return record === undefined || record === hash ? 'keep' : 'rebuild'
}

async function build(target: Target, script: string, hash: string, state: State): Promise<void> {
  const folder = dirname(target.path)
  makeFolder(folder)
  await removeAbandoned(target)
  const unfinished = `${target.path}.${process.pid}.${randomBytes(3).toString('hex')}.tmp`
  try {
    await runScript(target.kind.scheme, script, unfinished)
    await flush(unfinished)
    // A kill between the two writes must lead to another build, never to a database that appears to be the
    // user's.
    if (state === 'create') await writeFile(recordPath(target.path), `${hash}\n`)
    await rename(unfinished, target.path)
    if (state === 'rebuild') await writeFile(recordPath(target.path), `${hash}\n`)
  } finally {
    await remove(unfinished, target.kind.leftovers)
  }
}

async function runScript(scheme: string, script: string, path: string): Promise<void> {
  const child = new EngineProcess(scheme)
  const answer = await child.request({ kind: 'build', script, target: path })
  child.kill()
  await child.ended
  if (answer.kind === 'died') throw new Error(answer.reason)
  if (answer.reply.body.kind === 'unavailable') throw new Error(answer.reply.body.message)
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Removes files of killed builders: files of this database whose process no longer exists. */
async function removeAbandoned({ path, kind }: Target): Promise<void> {
  const prefix = `${basename(path)}.`
  for (const name of readdirSync(dirname(path))) {
    const pid = name.startsWith(prefix)
      ? /^(\d+)\.[0-9a-f]{6}\.tmp$/.exec(name.slice(prefix.length))?.[1]
      : undefined
    if (pid !== undefined && !isProcessAlive(Number(pid)))
      await remove(join(dirname(path), name), kind.leftovers)
  }
}

function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function remove(path: string, suffixes: readonly string[]): Promise<void> {
  for (const suffix of ['', ...suffixes]) await rm(path + suffix, { recursive: true, force: true })
}

function recordPath(path: string): string {
  return `${path}.fixture`
}

function readRecordedHash(path: string): string | undefined {
  return existsSync(recordPath(path)) ? readFileSync(recordPath(path), 'utf8').trim() : undefined
}

async function readScript(path: string, name: string): Promise<Buffer> {
  try {
    return await readRegularFile(path)
  } catch (cause) {
    throw new AutotestError('engine_unavailable', `fixture not found: ${name}`, {
      hint: 'Set `fixture` in autotest.config.yaml to the SQL script that builds the database.',
      cause,
    })
  }
}
