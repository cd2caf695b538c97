import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ensureStateFolder } from '../../../edit/state-folder.js'
import type { CatalogueTable, Engine, FuzzedCopies } from '../../../engine/contract/engine.js'
import { AutotestError } from '../../../errors.js'
import { keepUnlessFailed } from '../../../platform/keep-unless-failed.js'
import {
  type SampledTable,
  sampledTable,
  samplesInQueries,
  samplesInScratch,
  sampleTables,
  type TableSample,
} from './sample-tables.js'
import { samplesFolder, sampleUrl } from './sample-urls.js'
import { stagingScript } from './staging-script.js'

/** Samples of some tables. */
export interface StagedSample {
  readonly tables: readonly SampledTable[]
  /** Returns copies of the sample on this machine, which stay open until `release` is called. */
  hold(): Promise<HeldCopies>
}

export interface HeldCopies {
  readonly copies: FuzzedCopies
  release(): void
}

/** Samples of the tables of servers, kept below `.autotest/samples/` of the project. */
export interface StagedSamples {
  /** Throws `engine_unavailable` or `write_failed`. */
  of(engine: Engine, tables: readonly CatalogueTable[]): Promise<StagedSample>
}

export interface StagedSamplesOptions {
  readonly root: string
  readonly memoryBytes: number
  /** Calls `work` with an engine of the project, which `sampleScriptOf` says how to build. */
  readonly useEngine: <Result>(url: string, work: (engine: Engine) => Promise<Result>) => Promise<Result>
}

/** Part of the names of files: incremented when the same sample is written in another form. */
const version = 2
/** Samples are taken again after this time, since data drift. */
const keptMs = 7 * 24 * 60 * 60 * 1000

export function createStagedSamples(options: StagedSamplesOptions): StagedSamples {
  const samples = new Map<string, Promise<StagedSample>>()
  return {
    of: (engine, tables) => {
      // Those of the one size are not for the other.
      const text = JSON.stringify([
        version,
        engine.url,
        tables,
        ...(engine.scratch === undefined ? [] : ['scratch']),
      ])
      const key = createHash('sha256').update(text).digest('hex').slice(0, 20)
      return keepUnlessFailed(samples, key, async () => ({
        tables: await stage(engine, tables, key, options),
        hold: () => holdEngine(sampleUrl(key), options),
      }))
    },
  }
}

/** Keeps an engine in use until `release` is called. */
function holdEngine(url: string, { useEngine }: StagedSamplesOptions): Promise<HeldCopies> {
  return new Promise((resolve, reject) => {
    useEngine(url, ({ copies }) => {
      if (copies === undefined) throw new Error('SQLite makes no copies')
      return new Promise<void>((release) => resolve({ copies, release }))
    }).catch(reject)
  })
}

/** Takes a sample unless there is a recent one, and writes the script that builds its database. */
async function stage(
  engine: Engine,
  tables: readonly CatalogueTable[],
  key: string,
  { root, memoryBytes }: StagedSamplesOptions,
): Promise<readonly SampledTable[]> {
  const folder = await ensureStateFolder(root, samplesFolder)
  await removeOld(folder)
  const path = join(folder, key)
  const size = engine.scratch === undefined ? samplesInQueries : samplesInScratch
  const known = await readSample(`${path}.json`)
  const rows = known ?? (await sampleTables(engine, tables, memoryBytes, size))
  const sampled = tables.flatMap((table) => {
    const own = rows.get(table.name)
    return own === undefined ? [] : [sampledTable(table, own, engine.dialect)]
  })
  if (known === undefined) {
    await replaceFile(`${path}.sql`, stagingScript(sampled))
    // Last, so that it stands for all of them.
    await replaceFile(
      `${path}.json`,
      JSON.stringify([...rows].map(([name, sample]) => [name, sample.rows, [...sample.habits]])),
    )
  }
  return sampled
}

const habitSchema = z.object({
  habit: z.union([
    z.object({ kind: z.literal('flag'), values: z.tuple([z.string(), z.string()]) }),
    z.object({ kind: z.enum(['not negative', 'midnight', 'first of month', 'end of month']) }),
    z.object({ kind: z.literal('weekday'), day: z.number() }),
  ]),
  isOfAllRows: z.boolean(),
})
const sampleSchema = z.array(
  z.tuple([z.string(), z.array(z.array(z.string().nullable())), z.array(z.tuple([z.string(), habitSchema]))]),
)

/** Returns an earlier sample by the table's name; undefined if none can be read. */
async function readSample(file: string): Promise<ReadonlyMap<string, TableSample> | undefined> {
  try {
    const tables = sampleSchema.parse(JSON.parse(await readFile(file, 'utf8')))
    return new Map(tables.map(([name, rows, habits]) => [name, { rows, habits: new Map(habits) }]))
  } catch {
    return undefined
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.${randomBytes(3).toString('hex')}.tmp`
  try {
    await writeFile(unfinished, text)
    await rename(unfinished, path)
  } catch (cause) {
    await rm(unfinished, { force: true })
    throw new AutotestError('write_failed', `${path} cannot be written`, {
      hint: 'Make the folder writable, or set scoring.fuzz to 0.',
      cause,
    })
  }
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const file = await stat(path).catch(() => undefined)
    if (file !== undefined && Date.now() - file.mtimeMs > keptMs) await rm(path, { force: true })
  }
}
