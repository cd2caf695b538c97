import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Benchmark, BenchmarkCase, SqlCase } from '../../benchmark/case.js'
import { filterCases } from '../../benchmark/filter.js'
import { type LoadBenchmarkOptions, loadBenchmark } from '../../benchmark/load.js'
import type { Config } from '../../config/config.js'
import { loadConfig } from '../../config/load.js'
import { AutotestError } from '../../errors.js'
import type { NotCheckedOut } from '../../git/not-checked-out.js'
import { absentBenchmarkFiles, absentCases } from './absent-cases.js'
import { absentError, notCheckedOut } from './checkout.js'
import { lastFailedIds } from './last-failed.js'
import { overridesOf, type ProjectRequest, type StoreRequest } from './project-request.js'
import { casesOfShard, parseShard, readTimings, type ShardedRun, shardedRun } from './shard.js'

/** A project as a request selects it: configuration, every case, and the selected ones. */
export interface Project<C extends BenchmarkCase = BenchmarkCase> {
  readonly config: Config
  /** Every case of the benchmark paths, whatever the filters. */
  readonly benchmark: readonly C[]
  readonly selected: readonly C[]
  /** What the selected cases are a part of, if only one part of them was asked for. */
  readonly sharded?: ShardedRun | undefined
  /** Benchmark files that are not on disk, with cases that cannot be listed. */
  readonly unlisted: readonly NotCheckedOut[]
  /** Absolute path of the run database. */
  readonly database: string
}

/** A project of text-to-SQL cases. */
export type SqlProject = Project<SqlCase>

/**
 * Loads the text-to-SQL project that a request selects.
 *
 * @param onConfig called with the configuration, and awaited, before the cases are read
 */
export async function loadProject(
  request: ProjectRequest,
  onConfig?: (config: Config) => Promise<void>,
): Promise<SqlProject> {
  const config = await loadProjectConfig(request)
  await onConfig?.(config)
  return loadCasesOf(request, config, async (options) => {
    const { cases } = await loadBenchmark(options)
    const absent = await absentCases(config, cases)
    return { cases: [...cases, ...absent.cases], unlisted: absent.unlisted }
  })
}

/** Returns the configuration of the project that a request selects. */
export function loadProjectConfig(request: ProjectRequest): Promise<Config> {
  return loadConfig({ cwd: request.cwd, file: request.config, overrides: overridesOf(request) })
}

/**
 * Reads the cases of a project, and selects those of a request.
 *
 * @param load reads the files of the benchmark
 */
export async function loadCasesOf<C extends BenchmarkCase>(
  request: ProjectRequest,
  config: Config,
  load: (
    options: LoadBenchmarkOptions,
  ) => Promise<Pick<Benchmark<C>, 'cases'> & Pick<Project<C>, 'unlisted'>>,
): Promise<Project<C>> {
  // Git answers while the files are read.
  void notCheckedOut(config)
  const found = await load({ paths: config.benchmarks, cwd: config.root }).catch(async (error: unknown) => {
    const absent = await absentBenchmarkFiles(config)
    if (error instanceof AutotestError && error.code === 'benchmark_missing' && absent.length > 0)
      throw absentError('benchmark_missing', error.message, absent)
    throw config.file === undefined && request.benchmark === undefined
      ? noProjectError(error, config.root)
      : error
  })
  const { cases } = found
  const database = databasePath(request, config)
  const ids =
    request.lastFailed === true ? await lastFailedIds(database, cases, request.benchmark) : request.ids
  const matched = filterCases(cases, { tags: request.tags, ids })
  // Each case that was named is among those that were found.
  const unlisted = (ids ?? []).length > 0 ? [] : found.unlisted
  if (request.shard === undefined) return { config, benchmark: cases, selected: matched, unlisted, database }
  const shard = parseShard(request.shard)
  const times = readTimings(config.root)
  return {
    config,
    benchmark: cases,
    selected: casesOfShard(matched, shard, times),
    sharded: shardedRun(matched, shard, times),
    unlisted,
    database,
  }
}

/**
 * Returns the error for a folder that is not a project: in a wrong folder, and for a new user, advice about
 * flags or keys would not help.
 */
function noProjectError(cause: unknown, root: string): unknown {
  if (existsSync(resolve(root, 'benchmarks'))) return cause
  return new AutotestError(
    'benchmark_missing',
    `${root} is not a project: it has neither autotest.config.yaml nor benchmarks/`,
    {
      hint: 'Go to the folder of your project, or name files with --benchmark. `autotest demo` creates a sample project.',
      cause,
    },
  )
}

/** Returns the absolute path of the run database. */
export function databasePath({ cwd, db }: StoreRequest, config: Config): string {
  return db === undefined ? resolve(config.root, 'reports/autotest.db') : resolve(cwd, db)
}
