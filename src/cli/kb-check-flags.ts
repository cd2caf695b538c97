import type { Options } from 'yargs'
import { auditFlags, type RunFlags, runFlags } from './flags.js'

/** Flags of `autotest check` and `autotest kb check` as parsed. */
export type KbCheckFlags = Pick<RunFlags, 'kb' | 'engine' | 'config' | 'output' | 'verbose'> & {
  readonly reporter?: readonly string[] | undefined
  readonly data?: boolean | undefined
  readonly files?: readonly string[] | undefined
  readonly catalogue?: string | undefined
  readonly 'save-catalogue'?: string | undefined
  readonly run?: boolean | undefined
  readonly dialect?: string | undefined
}

export const kbCheckFlags = {
  catalogue: {
    type: 'string',
    requiresArg: true,
    describe: 'tables and columns from a file, in place of a database (dbt, information_schema)',
    group: 'Project:',
  },
  'save-catalogue': {
    type: 'string',
    requiresArg: true,
    describe: 'write the tables and columns of the database to a file',
    group: 'Project:',
  },
  run: {
    type: 'boolean',
    describe: 'also run queries on a warehouse; without it they are only bound there',
    group: 'Project:',
  },
  dialect: {
    type: 'string',
    requiresArg: true,
    describe: 'dialect of the SQL, if it is not that of the database',
    group: 'Project:',
  },
  data: {
    type: 'boolean',
    describe: 'also query the data: texts that queries compare with and that never occur',
    group: 'Project:',
  },
  kb: runFlags.kb,
  engine: runFlags.engine,
  config: runFlags.config,
  output: { ...runFlags.output, describe: 'JSON report, as kb.json' },
  reporter: auditFlags.reporter,
  verbose: { type: 'boolean', describe: 'stack traces', group: 'Output:' },
} as const satisfies Record<string, Options>
