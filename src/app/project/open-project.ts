import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { CommandContext } from '../../cli/command-context.js'
import type { RunFlags } from '../../cli/flags.js'
import type { Config } from '../../config/config.js'
import { AutotestError } from '../../errors.js'
import type { RunRecord } from '../../store/records.js'
import { openStore, type RunStore } from '../../store/store.js'
import { prewarmProject } from '../compose.js'
import { prewarmEngine } from '../engine-registry.js'
import { unfinishedRun } from '../run/unfinished-run.js'
import { openProjectParseCache } from './parse-cache-lifecycle.js'
import { loadProject, type Project } from './project.js'
import { openProjectStore } from './project-store.js'

export interface OpenedProject {
  readonly project: Project
  readonly store: RunStore
  /** The run that goes on. */
  readonly resume: RunRecord | undefined
  /** As given; of a run that goes on, as they were when it began. */
  readonly flags: RunFlags
}

/** What may be raised when a run goes on. */
const budgetFlags = ['max-llm-calls', 'max-tokens', 'max-cost'] as const
/** Flags that decide what is asked and how it is scored, kept with the run. */
const keptFlags = [
  'benchmark',
  'tags',
  'id',
  'repeat',
  'policy',
  'fuzz',
  'seed',
  'engine',
  'agent',
  'kb',
  'config',
  'repairer',
  ...budgetFlags,
] as const
/** Flags that decide what becomes of what is found. */
const modeFlags = [
  ['no-repair', 'evaluate'],
  ['dry-run', 'dry_run'],
] as const
/** Folders of replies, kept as absolute paths. */
const recordingFlags = ['record', 'replay'] as const

/** The project with the run database open; a resumed run brings back the flags that decided what was asked. */
export async function openProject(flags: RunFlags, context: CommandContext): Promise<OpenedProject> {
  if (flags.resume === undefined) {
    const project = await loadProject(flags, context.cwd, prewarmRun)
    const store = await openStore(project.database, { now: context.now })
    return { project, store, resume: undefined, flags }
  }
  const { store, config } = await openProjectStore(flags, context)
  try {
    const resume = unfinishedRun(store, flags.resume, config.root)
    const { resume: _ignored, ...rest } = flags
    checkSameFlags(rest, resume, context.cwd)
    const raised = Object.fromEntries(
      budgetFlags.flatMap((key) => (rest[key] === undefined ? [] : [[key, rest[key]]])),
    )
    const merged: RunFlags = { ...rest, ...resume.options, ...raised }
    return { project: await loadProject(merged, context.cwd, prewarmRun), store, resume, flags: merged }
  } catch (error) {
    store.close()
    throw error
  }
}

/** What a run needs of its project while the cases are read. */
async function prewarmRun(config: Config): Promise<void> {
  // Its process starts beside all else.
  prewarmEngine(config)
  await openProjectParseCache(config.root)
  await prewarmProject(config)
}

/** Half a run asked one way and half another would be neither: throws `usage`, which names the flag. */
function checkSameFlags(flags: RunFlags, { id, mode, options }: RunRecord, cwd: string): void {
  const asked = keptFlags.filter((flag) => !budgetFlags.some((raised) => raised === flag))
  const given = [
    ...asked.map((flag) => [flag, flags[flag]] as const),
    ...recordingFlags.map((flag) => [flag, resolveFolder(flags[flag], cwd)] as const),
  ]
  for (const [flag, value] of given) {
    const before = options[flag]
    if (value === undefined || isDeepStrictEqual(value, before)) continue
    const how = before === undefined ? `without --${flag}` : `with --${flag} ${String(before)}`
    throw flagMismatchError(flag, `--${flag} ${String(value)}`, id, how)
  }
  for (const [flag, itsMode] of modeFlags) {
    if (flags[flag] === true && mode !== itsMode)
      throw flagMismatchError(flag, `--${flag}`, id, `without --${flag}`)
  }
  if (flags['last-failed'] === true)
    throw flagMismatchError('last-failed', '--last-failed', id, 'with its own cases')
}

function flagMismatchError(flag: string, given: string, id: string, how: string): AutotestError {
  return new AutotestError('usage', `${given}: run ${id} was begun ${how}, and goes on so`, {
    hint: `Leave out --${flag}, or start a new run.`,
  })
}

/** What a run keeps of its flags. */
export function storedOptionsOf(
  flags: RunFlags,
  { selected }: Pick<Project, 'selected'>,
  cwd: string,
): Record<string, unknown> {
  // What failed last is another set once this run is recorded.
  const id = flags['last-failed'] === true ? selected.map((testCase) => testCase.id) : flags.id
  const kept = { ...flags, id }
  const folders = recordingFlags.map((key) => [key, resolveFolder(flags[key], cwd)] as const)
  return Object.fromEntries(
    [...keptFlags.map((key) => [key, kept[key]] as const), ...folders].filter(
      ([, value]) => value !== undefined,
    ),
  )
}

/** @returns the absolute path */
export function resolveFolder(folder: string | undefined, cwd: string): string | undefined {
  return folder === undefined ? undefined : resolve(cwd, folder)
}
