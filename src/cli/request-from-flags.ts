import type { ProjectRequest } from '../app/project/project-request.js'
import type { ResumeRequest, RunRequest } from '../app/run/run-request.js'
import { type Repairer, repairers } from '../config/config.js'
import { parseDuration, parseScanLimit, type ScanLimit } from '../config/parse-units.js'
import { isPolicy } from '../enums/verdict-policy.js'
import { AutotestError } from '../errors.js'
import { parseCommaList } from '../text/comma-list.js'
import { checkFlags } from './check-flags.js'
import type { RunFlags } from './flags.js'

/**
 * Returns the run that the flags request. Throws `usage` for flags that contradict each other or are invalid.
 */
export function runRequestFrom(flags: RunFlags, cwd: string): RunRequest {
  checkFlags(flags)
  return {
    ...projectRequestFrom(flags, cwd),
    mode: modeFrom(flags),
    commit: flags.yes === true ? 'always' : flags['no-commit'] === true ? 'never' : 'ask',
    allowDirty: flags['allow-dirty'],
    followBenchmark: listFrom(flags['follow-benchmark']),
    repeat: flags.repeat,
    resume: resumeFrom(flags),
    record: flags.record,
    replay: flags.replay,
    reports: parseCommaList(flags.output),
  }
}

/** Returns the project that the flags select. Throws `usage` for invalid values. */
export function projectRequestFrom(flags: RunFlags, cwd: string): ProjectRequest {
  const { policy, 'min-grade': minGrade } = flags
  return {
    cwd,
    config: flags.config,
    db: flags.db,
    benchmark: listFrom(flags.benchmark),
    tags: listFrom(flags.tags),
    ids: listFrom(flags.id),
    shard: flags.shard,
    lastFailed: flags['last-failed'],
    engine: flags.engine,
    agent: flags.agent,
    kb: flags.kb,
    python: flags.python,
    unsandboxed: flags.unsandboxed,
    policy: policy !== undefined && isPolicy(policy) ? policy : undefined,
    fuzz: flags.fuzz,
    seed: flags.seed,
    concurrency: flags.concurrency,
    maxRetries: flags['max-retries'],
    minGrade: minGrade === 'E1' || minGrade === 'E2' ? minGrade : undefined,
    repairers: repairersFrom(flags.repairer),
    maxLlmCalls: flags['max-llm-calls'],
    maxTokens: flags['max-tokens'],
    maxCost: flags['max-cost'],
    maxTimeMs: durationFrom('--max-time', flags['max-time']),
    maxScan: scanFrom(flags['max-scan']),
  }
}

function modeFrom(flags: RunFlags): RunRequest['mode'] {
  if (flags['no-repair'] === true) return 'evaluate'
  return flags['dry-run'] === true ? 'dry_run' : undefined
}

function resumeFrom({ resume }: RunFlags): ResumeRequest | undefined {
  return resume === undefined ? undefined : { run: resume === '' ? undefined : resume }
}

function listFrom(values: readonly string[] | undefined): string[] | undefined {
  return values === undefined ? undefined : parseCommaList(values)
}

function repairersFrom(names: readonly string[] | undefined): readonly Repairer[] | undefined {
  return listFrom(names)?.map((name) => {
    const known = repairers.find((repairer) => repairer === name)
    if (known !== undefined) return known
    throw new AutotestError('usage', `--repairer ${name}: must be one of ${repairers.join(', ')}`)
  })
}

function scanFrom(text: string | undefined): ScanLimit | undefined {
  if (text === undefined) return undefined
  const limit = parseScanLimit(text)
  if (limit === undefined)
    throw new AutotestError('usage', `--max-scan ${text}: must be a size as in 10GB, or a duration as in 5m`)
  return limit
}

function durationFrom(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = parseDuration(text)
  if (ms === undefined)
    throw new AutotestError('usage', `${flag} ${text}: must be a duration as in 30s, 10m or 500ms`)
  return ms
}
