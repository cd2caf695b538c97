import { isAbsolute, relative, resolve, sep } from 'node:path'
import { z } from 'zod'
import { type Dialect, dialects } from '../enums/dialect.js'
import { type Policy, policies } from '../enums/verdict-policy.js'
import { AutotestError } from '../errors.js'
import type { AgentConfig, Repairer } from './config.js'
import type { ScanLimit } from './parse-units.js'
import { engine } from './schema.js'
import {
  concurrency,
  fuzz,
  isoDate,
  maxRetries,
  nonNegativeInteger,
  nonNegativeNumber,
  seed,
  tolerance,
} from './value-schemas.js'

/** Settings from flags; paths are relative to the working folder, as typed. */
export interface ConfigOverrides {
  readonly benchmarks?: readonly string[] | undefined
  readonly kb?: string | undefined
  readonly python?: string | undefined
  readonly engine?: string | undefined
  readonly dialect?: Dialect | undefined
  readonly agent?: AgentConfig | undefined
  readonly asOf?: string | undefined
  readonly policy?: Policy | undefined
  readonly tolerance?: number | undefined
  readonly fuzz?: number | undefined
  readonly seed?: number | undefined
  readonly concurrency?: number | undefined
  readonly maxRetries?: number | undefined
  readonly minGrade?: 'E1' | 'E2' | undefined
  readonly timeMs?: number | undefined
  readonly scan?: ScanLimit | undefined
  readonly llmCalls?: number | undefined
  readonly tokens?: number | undefined
  readonly cost?: number | undefined
  readonly repairers?: readonly Repairer[] | undefined
}

const rules: readonly {
  readonly key: keyof ConfigOverrides
  readonly flag: string
  readonly schema: z.ZodType
}[] = [
  { key: 'dialect', flag: '--dialect', schema: z.enum(dialects) },
  { key: 'asOf', flag: '--as-of', schema: isoDate },
  { key: 'policy', flag: '--policy', schema: z.enum(policies) },
  { key: 'tolerance', flag: '--tolerance', schema: tolerance },
  { key: 'fuzz', flag: '--fuzz', schema: fuzz },
  { key: 'seed', flag: '--seed', schema: seed },
  { key: 'concurrency', flag: '--concurrency', schema: concurrency },
  { key: 'maxRetries', flag: '--max-retries', schema: maxRetries },
  { key: 'minGrade', flag: '--min-grade', schema: z.enum(['E1', 'E2']) },
  { key: 'timeMs', flag: '--max-time', schema: z.number().positive('must be more than 0') },
  { key: 'llmCalls', flag: '--max-llm-calls', schema: nonNegativeInteger },
  { key: 'tokens', flag: '--max-tokens', schema: nonNegativeInteger },
  { key: 'cost', flag: '--max-cost', schema: nonNegativeNumber },
]

/** Checks flags by the rules of the file's keys; throws `usage` for an invalid value. */
export function checkOverrides(overrides: ConfigOverrides): void {
  const secret = engine.optional().safeParse(overrides.engine).error?.issues[0]
  if (secret !== undefined) throw new AutotestError('usage', `--engine ${secret.message}`)
  for (const { key, flag, schema } of rules) {
    const value = overrides[key]
    if (value === undefined) continue
    const issue = schema.safeParse(value).error?.issues[0]
    if (issue === undefined) continue
    const allowed = issue.code === 'invalid_value' ? `must be one of ${issue.values.join(', ')}` : undefined
    const words = allowed ?? (issue.code === 'invalid_type' ? 'must be a whole number' : issue.message)
    throw new AutotestError('usage', `${flag} ${String(value)}: ${words}`)
  }
}

/** Returns overrides whose paths are relative to the root instead of the working folder. */
export function rebasePaths(overrides: ConfigOverrides, cwd: string, root: string): ConfigOverrides {
  if (relative(cwd, root) === '') return overrides
  const move = (path: string) =>
    isAbsolute(path) ? path : relative(root, resolve(cwd, path)).split(sep).join('/') || '.'
  const { benchmarks, kb, engine, agent } = overrides
  return {
    ...overrides,
    benchmarks: benchmarks?.map(move),
    kb: kb === undefined ? undefined : move(kb),
    engine: engine?.replace(
      /^(duckdb|sqlite):(?!:memory:)(.+)$/,
      (_, scheme: string, path: string) => `${scheme}:${move(path)}`,
    ),
    agent: agent?.kind === 'module' ? { ...agent, path: move(agent.path) } : agent,
  }
}
