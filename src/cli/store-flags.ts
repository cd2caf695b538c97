import type { Options } from 'yargs'
import { runFlags } from './flags.js'

/** Flags of the commands that read the run database, as parsed. */
export interface StoreFlags {
  readonly db?: string | undefined
  readonly config?: string | undefined
  readonly verbose?: boolean | undefined
}

export const storeFlags = {
  db: runFlags.db,
  config: runFlags.config,
  verbose: { type: 'boolean', describe: 'more detail, stack traces' },
} as const satisfies Record<string, Options>

export const whyFlags = {
  ...storeFlags,
  trace: { type: 'boolean', describe: 'what an agent with tools did in the last run, call by call' },
} as const satisfies Record<string, Options>

export const showFlags = { ...storeFlags, output: runFlags.output } as const satisfies Record<string, Options>

export const reportFlags = {
  ...storeFlags,
  output: {
    alias: 'o',
    type: 'string',
    requiresArg: true,
    describe: 'file to write [default: report.html in the folder of the run]',
  },
  'no-open': { type: 'boolean', describe: 'do not open it in a browser' },
} as const satisfies Record<string, Options>

/** Flags of `autotest report` as parsed. */
export interface ReportFlags extends StoreFlags {
  readonly run?: string | undefined
  readonly output?: string | undefined
  readonly 'no-open'?: boolean | undefined
}

export const mergeFlags = {
  ...storeFlags,
  output: runFlags.output,
  reporter: runFlags.reporter,
  repair: { type: 'boolean', describe: 'repair what failed, once for all parts' },
  'dry-run': { type: 'boolean', describe: 'plan repairs of what failed, write nothing' },
  yes: runFlags.yes,
  'no-commit': runFlags['no-commit'],
  timings: {
    type: 'boolean',
    describe: 'write the times of the cases to autotest.timings.json, by which --shard divides',
  },
} as const satisfies Record<string, Options>

/** Flags of `autotest merge` as parsed. */
export interface MergeFlags extends StoreFlags {
  readonly folders?: readonly string[] | undefined
  readonly output?: readonly string[] | undefined
  readonly reporter?: readonly string[] | undefined
  readonly repair?: boolean | undefined
  readonly 'dry-run'?: boolean | undefined
  readonly yes?: boolean | undefined
  readonly 'no-commit'?: boolean | undefined
  readonly timings?: boolean | undefined
}

export const pruneFlags = {
  ...storeFlags,
  keep: { type: 'string', requiresArg: true, describe: 'how long to keep runs: 90d, 12w [default: 90d]' },
  'dry-run': { type: 'boolean', describe: 'only tell which runs would be removed' },
} as const satisfies Record<string, Options>

/** Flags of `autotest runs prune` as parsed. */
export interface PruneFlags extends StoreFlags {
  readonly keep?: string | undefined
  readonly 'dry-run'?: boolean | undefined
}

export const applyFlags = {
  ...storeFlags,
  repair: {
    type: 'string',
    requiresArg: true,
    describe: 'only this repair, for example p1: one that was planned, or that a run holds for you to accept',
  },
  'allow-dirty': { type: 'boolean', describe: 'also write files with uncommitted changes' },
} as const satisfies Record<string, Options>

export const revertFlags = {
  ...storeFlags,
  repair: {
    type: 'string',
    requiresArg: true,
    describe: 'only this repair, for example p1 (see autotest runs show)',
  },
  reason: {
    type: 'string',
    requiresArg: true,
    describe: 'why it is not wanted; later runs show it instead of the repair',
  },
} as const satisfies Record<string, Options>

export const rejectFlags = {
  ...revertFlags,
  reason: { ...revertFlags.reason, demandOption: true },
} as const satisfies Record<string, Options>

export const decisionsFlags = {
  config: runFlags.config,
  verbose: storeFlags.verbose,
} as const satisfies Record<string, Options>
