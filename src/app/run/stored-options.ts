import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { repairers } from '../../config/config.js'
import { policies } from '../../enums/verdict-policy.js'
import { AutotestError } from '../../errors.js'
import type { RunMode, RunRecord } from '../../store/record-types.js'
import { parseCommaList } from '../../text/comma-list.js'
import type { Project } from '../project/project.js'
import { type RunRequest, resolveFolder } from './run-request.js'

/** Field of a request → its name in the run database, which is that of its flag. */
const optionNames = {
  benchmark: 'benchmark',
  tags: 'tags',
  ids: 'id',
  shard: 'shard',
  repeat: 'repeat',
  policy: 'policy',
  fuzz: 'fuzz',
  seed: 'seed',
  engine: 'engine',
  agent: 'agent',
  kb: 'kb',
  config: 'config',
  repairers: 'repairer',
  followBenchmark: 'follow-benchmark',
  maxLlmCalls: 'max-llm-calls',
  maxTokens: 'max-tokens',
  maxCost: 'max-cost',
  record: 'record',
  replay: 'replay',
} as const satisfies Partial<Record<keyof RunRequest, string>>

type StoredField = keyof typeof optionNames
/** The options that determine what a run asks and how it is scored. Folders of recordings are absolute. */
export type StoredOptions = Pick<RunRequest, StoredField>

const storedFields: readonly StoredField[] = Object.keys(optionNames).filter((field): field is StoredField =>
  Object.hasOwn(optionNames, field),
)

/** Budgets may be raised when a run is resumed. */
const budgetFields: ReadonlySet<StoredField> = new Set(['maxLlmCalls', 'maxTokens', 'maxCost'])

const modeFlags: Readonly<Record<RunMode, string>> = {
  evaluate: '--no-repair',
  dry_run: '--dry-run',
  repair: 'mode repair',
}

// Earlier versions stored lists as typed, with commas.
const list = z.array(z.string()).transform(parseCommaList).optional()
const text = z.string().optional()
const number = z.number().optional()
const storedOptions = z.object({
  benchmark: list,
  tags: list,
  id: list,
  shard: text,
  repeat: number,
  policy: z.enum(policies).optional(),
  fuzz: number,
  seed: number,
  engine: text,
  agent: text,
  kb: text,
  config: text,
  repairer: list.pipe(z.array(z.enum(repairers)).optional()),
  'follow-benchmark': list,
  'max-llm-calls': number,
  'max-tokens': number,
  'max-cost': number,
  record: text,
  replay: text,
})

/** Returns the options of a run that are stored in the run database, by the names of their flags. */
export function storedOptionsOf(
  request: RunRequest,
  { selected, sharded }: Pick<Project, 'selected' | 'sharded'>,
): Record<string, unknown> {
  const kept = {
    ...withAbsoluteFolders(request),
    // `--last-failed` selects other cases once this run is recorded.
    ids: request.lastFailed === true ? selected.map((testCase) => testCase.id) : request.ids,
  }
  const options = storedFields.flatMap((field) =>
    kept[field] === undefined ? [] : [[optionNames[field], kept[field]] as const],
  )
  return { ...Object.fromEntries(options), ...(sharded === undefined ? {} : { sharded }) }
}

/**
 * Returns the request to resume a run: its own options, except budgets that were given anew. A run with half
 * its answers under other options would be neither: throws `usage`, which names the option, if one differs.
 */
export function resumedRequest(request: RunRequest, run: RunRecord): RunRequest {
  const stored = parseOptions(run)
  checkSameOptions(withAbsoluteFolders(request), stored, run)
  const { resume: _resumed, ...rest } = request
  const { maxLlmCalls, maxTokens, maxCost } = request
  return {
    ...rest,
    ...stored,
    mode: run.mode,
    maxLlmCalls: maxLlmCalls ?? stored.maxLlmCalls,
    maxTokens: maxTokens ?? stored.maxTokens,
    maxCost: maxCost ?? stored.maxCost,
  }
}

function withAbsoluteFolders(request: RunRequest): RunRequest {
  const { record, replay, cwd } = request
  return { ...request, record: resolveFolder(record, cwd), replay: resolveFolder(replay, cwd) }
}

function parseOptions({ id, options }: RunRecord): StoredOptions {
  const parsed = storedOptions.safeParse(options)
  if (!parsed.success)
    throw new AutotestError('usage', `run ${id} cannot be resumed: its options cannot be read`, {
      hint: 'Start a new run.',
      cause: parsed.error,
    })
  const { data } = parsed
  const given = storedFields.flatMap((field) => {
    const value = data[optionNames[field]]
    return value === undefined ? [] : [[field, value] as const]
  })
  return Object.fromEntries(given)
}

function checkSameOptions(request: RunRequest, stored: StoredOptions, { id, mode }: RunRecord): void {
  for (const field of storedFields) {
    const [value, before] = [request[field], stored[field]]
    if (budgetFields.has(field) || value === undefined || isDeepStrictEqual(value, before)) continue
    const flag = `--${optionNames[field]}`
    const how = before === undefined ? `without ${flag}` : `with ${flag} ${String(before)}`
    throw mismatchError(flag, `${flag} ${String(value)}`, id, how)
  }
  if (request.mode !== undefined && request.mode !== mode) {
    const flag = modeFlags[request.mode]
    throw mismatchError(flag, flag, id, `without ${flag}`)
  }
  if (request.lastFailed === true)
    throw mismatchError('--last-failed', '--last-failed', id, 'with its own cases')
}

function mismatchError(option: string, given: string, id: string, how: string): AutotestError {
  return new AutotestError('usage', `${given}: run ${id} was started ${how}, and continues the same way`, {
    hint: `Leave out ${option}, or start a new run.`,
  })
}
