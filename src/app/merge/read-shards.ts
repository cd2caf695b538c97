import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AutotestError } from '../../errors.js'
import type { AnswerRecord, CaseRecord, LlmCallRow, RunDetail } from '../../store/record-types.js'
import { openStore, type RunStore } from '../../store/store.js'
import { type ShardedRun, timingsFile } from '../project/shard.js'

const shardedSchema = z.object({
  shard: z.object({ index: z.number().int(), count: z.number().int() }),
  cases: z.number().int(),
  key: z.string(),
})

/** One part of a benchmark as a run of it was found. */
export interface FoundShard extends ShardedRun {
  /** As typed. */
  readonly folder: string
  readonly detail: RunDetail
  readonly answers: readonly AnswerRecord[]
  readonly llmCalls: readonly LlmCallRow[]
  /** Case id → what an agent with tools did. */
  readonly traces: ReadonlyMap<string, unknown>
}

const latestRuns = 500

/**
 * Returns the parts that folders hold: of each folder those of its newest sharded run. Throws `run_unknown` for a folder
 * without one, and for a part that was not run to its end.
 */
export async function readShards(
  folders: readonly string[],
  pathOf: (folder: string) => string,
  now: () => Date,
): Promise<FoundShard[]> {
  const found: FoundShard[] = []
  for (const folder of folders) {
    const store = await openStore(databaseIn(folder, pathOf(folder)), { now, readonly: true })
    try {
      found.push(...shardsIn(folder, store))
    } finally {
      store.close()
    }
  }
  return found
}

/** The folder may be that of reports, one with it, or the database itself. */
function databaseIn(folder: string, path: string): string {
  if (!existsSync(path)) throw nothingIn(folder, 'it does not exist')
  if (statSync(path).isFile()) return path
  const files = [join(path, 'autotest.db'), join(path, 'reports', 'autotest.db')]
  const file = files.find((each) => existsSync(each))
  if (file === undefined) throw nothingIn(folder, 'it holds no run database, autotest.db')
  return file
}

function shardsIn(folder: string, store: RunStore): FoundShard[] {
  const runs = store.listRuns({ limit: latestRuns }).flatMap((run) => {
    const sharded = shardedSchema.safeParse(run.options['sharded'])
    return sharded.success ? [{ run, sharded: sharded.data }] : []
  })
  const newest = runs[0]
  if (newest === undefined) throw nothingIn(folder, 'none of its runs is one of a shard')
  const ofWhole = runs.filter(
    ({ sharded }) => sharded.key === newest.sharded.key && sharded.shard.count === newest.sharded.shard.count,
  )
  const indexes = [...new Set(ofWhole.map(({ sharded }) => sharded.shard.index))].sort((a, b) => a - b)
  return indexes.map((index) => {
    const tries = ofWhole.filter(({ sharded }) => sharded.shard.index === index)
    const ended = tries.find(({ run }) => run.status === 'finished')
    const [last] = tries
    if (ended === undefined || last === undefined)
      throw new AutotestError(
        'run_unknown',
        `${folder}: shard ${index}/${newest.sharded.shard.count} has not ended (run ${last?.run.id}, ${last?.run.status})`,
        { hint: `Run it again, or continue it where it was: autotest --resume ${last?.run.id}.` },
      )
    const detail = store.runDetail(ended.run.id)
    if (detail === undefined) throw new Error(`run ${ended.run.id} is listed and has no rows`)
    if (detail.run.mode !== 'evaluate')
      throw new AutotestError(
        'usage',
        `${folder}: shard ${index} was run with repairs, which cannot be merged`,
        {
          hint: 'Run shards with --no-repair, then repair once: autotest merge DIR… --repair.',
        },
      )
    return {
      ...ended.sharded,
      folder,
      detail,
      answers: store.answersOf(detail.run.id),
      llmCalls: store.llmCallRows(detail.run.id),
      traces: tracesOf(store, detail),
    }
  })
}

function tracesOf(store: RunStore, { run, cases }: RunDetail): Map<string, unknown> {
  const traced = cases.filter(({ kind }) => kind !== 'sql')
  return new Map(traced.map(({ caseId }) => [caseId, store.traceOf(run.id, caseId)]))
}

/** Throws `usage` unless the parts are all parts of one whole, each once, run under the same conditions. */
export function checkTogether(shards: readonly FoundShard[]): FoundShard {
  const [first] = shards
  if (first === undefined)
    throw new AutotestError('usage', 'nothing to merge', { hint: 'Name the folders: autotest merge DIR…' })
  for (const shard of shards) {
    const other = differenceOf(first, shard)
    if (other !== undefined)
      throw new AutotestError(
        'usage',
        `${first.folder} and ${shard.folder} do not belong together: ${other}`,
        {
          hint: `Shards of one run have the same commit, flags and ${timingsFile}.`,
        },
      )
  }
  const byIndex = new Map<number, FoundShard>()
  for (const shard of shards) {
    const { index, count } = shard.shard
    const before = byIndex.get(index)
    if (before !== undefined)
      throw new AutotestError(
        'usage',
        `shard ${index}/${count} is there twice: ${before.folder} and ${shard.folder}`,
        {
          hint: 'Name each shard once; of a repeated one, its last.',
        },
      )
    byIndex.set(index, shard)
  }
  const missing = Array.from({ length: first.shard.count }, (_, at) => at + 1).filter(
    (index) => !byIndex.has(index),
  )
  if (missing.length > 0)
    throw new AutotestError(
      'usage',
      `shard ${missing.map((index) => `${index}/${first.shard.count}`).join(', ')} is missing`,
      {
        hint: 'Run it, or name its folder.',
      },
    )
  const twice = firstTwice(shards.flatMap(({ detail }) => detail.cases))
  if (twice !== undefined) throw new Error(`case ${twice} is in two shards`)
  return first
}

function differenceOf(a: FoundShard, b: FoundShard): string | undefined {
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['the number of shards', a.shard.count, b.shard.count],
    ['the cases', a.cases, b.cases],
    ['the cases or their times', a.key, b.key],
    ['the knowledge', a.detail.run.knowledge, b.detail.run.knowledge],
    ['the engine', a.detail.run.engine, b.detail.run.engine],
    ['the agent', a.detail.run.agent, b.detail.run.agent],
    ['the dialect', a.detail.run.dialect, b.detail.run.dialect],
    ['the flags', flagsOf(a), flagsOf(b)],
  ]
  const found = pairs.find(([, one, other]) => one !== other)
  return found === undefined ? undefined : `${found[0]} differ${found[0].endsWith('s') ? '' : 's'}`
}

function flagsOf({ detail }: FoundShard): string {
  const { shard: _own, sharded: _its, ...flags } = detail.run.options
  return JSON.stringify(Object.entries(flags).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function firstTwice(cases: readonly CaseRecord[]): string | undefined {
  const ids = new Set<string>()
  return cases.find(({ caseId }) => ids.has(caseId) || !ids.add(caseId))?.caseId
}

function nothingIn(folder: string, why: string): AutotestError {
  return new AutotestError('run_unknown', `${folder}: no shard to merge, as ${why}`, {
    hint: 'Name the folder of reports of each shard: autotest merge shard-1/reports shard-2/reports.',
  })
}
