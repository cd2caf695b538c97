import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { SqlCase } from '../../benchmark/case.js'
import { filterCases } from '../../benchmark/filter.js'
import { loadBenchmark } from '../../benchmark/load.js'
import type { RunFlags } from '../../cli/flags.js'
import { parseAgentFlag } from '../../config/agent-flag.js'
import { type Config, type Repairer, repairers } from '../../config/config.js'
import { loadConfig } from '../../config/load.js'
import type { ConfigOverrides } from '../../config/overrides.js'
import { parseDuration } from '../../config/units.js'
import { isPolicy } from '../../enums/verdict-policy.js'
import { AutotestError } from '../../errors.js'
import { openStore } from '../../store/store.js'

/** A project as the flags select it: configuration, every case, and the selected ones. */
export interface Project {
  readonly config: Config
  /** Every case of the benchmark paths, whatever the filters. */
  readonly benchmark: readonly SqlCase[]
  readonly selected: readonly SqlCase[]
  /** Absolute path of the run database. */
  readonly database: string
}

/** @param onConfig told the configuration, and waited for, before the cases are read */
export async function loadProject(
  flags: RunFlags,
  cwd: string,
  onConfig?: (config: Config) => Promise<void>,
): Promise<Project> {
  const config = await loadConfig({ cwd, file: flags.config, overrides: overridesOf(flags) })
  await onConfig?.(config)
  const { cases } = await loadBenchmark({ paths: config.benchmarks, cwd: config.root }).catch(
    (error: unknown) => {
      throw config.file === undefined && flags.benchmark === undefined
        ? noProjectError(error, config.root)
        : error
    },
  )
  const database = databasePath(flags, config, cwd)
  const ids = flags['last-failed'] === true ? await lastFailed(database, cases) : listOf(flags.id)
  return {
    config,
    benchmark: cases,
    selected: filterCases(cases, { tags: listOf(flags.tags), ids }),
    database,
  }
}

/** Whoever is in the wrong folder, or new, is helped by neither flag nor key. */
function noProjectError(cause: unknown, root: string): unknown {
  if (existsSync(resolve(root, 'benchmarks'))) return cause
  return new AutotestError(
    'benchmark_missing',
    `${root} is no project: it has neither autotest.config.yaml nor benchmarks/`,
    {
      hint: 'Go to the folder of your project, or name files with --benchmark. `autotest demo` makes a project to look at.',
      cause,
    },
  )
}

export function databasePath(flags: Pick<RunFlags, 'db'>, config: Config, cwd: string): string {
  return flags.db === undefined ? resolve(config.root, 'reports/autotest.db') : resolve(cwd, flags.db)
}

/** `a,b` and repeated flags alike. */
export function listOf(values: readonly string[] | undefined): string[] {
  return (values ?? [])
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '')
}

/** Cases of the last run that were not green and still exist. */
async function lastFailed(database: string, cases: readonly SqlCase[]): Promise<readonly string[]> {
  if (!existsSync(database)) throw noEarlierRun()
  const store = await openStore(database, { readonly: true, now: () => new Date() })
  try {
    const latest = store.latestRun({})
    if (latest === undefined) throw noEarlierRun()
    const failed = new Set(store.failedCaseIds(latest.id))
    const ids = cases.map((testCase) => testCase.id).filter((id) => failed.has(id))
    if (ids.length === 0) {
      throw new AutotestError(
        'no_case_matched',
        `nothing matched: --last-failed, and nothing failed in ${latest.id}`,
        {
          hint: 'Run autotest without it.',
        },
      )
    }
    return ids
  } finally {
    store.close()
  }
}

function noEarlierRun(): AutotestError {
  return new AutotestError('no_case_matched', 'nothing matched: --last-failed, and there is no earlier run', {
    hint: 'Run autotest once without it.',
  })
}

function overridesOf(flags: RunFlags): ConfigOverrides {
  const minGrade = flags['min-grade']
  const time = flags['max-time']
  return {
    benchmarks: flags.benchmark === undefined ? undefined : listOf(flags.benchmark),
    kb: flags.kb,
    engine: flags.engine,
    agent: flags.agent === undefined ? undefined : parseAgentFlag(flags.agent),
    policy: flags.policy !== undefined && isPolicy(flags.policy) ? flags.policy : undefined,
    fuzz: flags.fuzz,
    seed: flags.seed,
    concurrency: flags.concurrency,
    maxRetries: flags['max-retries'],
    minGrade: minGrade === 'E1' || minGrade === 'E2' ? minGrade : undefined,
    llmCalls: flags['max-llm-calls'],
    tokens: flags['max-tokens'],
    cost: flags['max-cost'],
    repairers: repairersOf(flags.repairer),
    timeMs: time === undefined ? undefined : durationOf('--max-time', time),
  }
}

function repairersOf(names: readonly string[] | undefined): readonly Repairer[] | undefined {
  if (names === undefined) return undefined
  return listOf(names).map((name) => {
    const known = repairers.find((repairer) => repairer === name)
    if (known !== undefined) return known
    throw new AutotestError('usage', `--repairer ${name}: must be one of ${repairers.join(', ')}`)
  })
}

function durationOf(flag: string, text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined)
    throw new AutotestError('usage', `${flag} ${text}: must be a duration as in 30s, 10m or 500ms`)
  return ms
}
