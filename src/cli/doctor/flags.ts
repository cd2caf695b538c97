import type { Options } from 'yargs'
import { type RunFlags, runFlags } from '../flags.js'

/** Flags of `autotest doctor` as parsed. */
export type DoctorFlags = Pick<RunFlags, 'config' | 'db' | 'engine' | 'agent' | 'kb' | 'verbose'> & {
  readonly call?: boolean | undefined
  readonly json?: boolean | undefined
}

export const doctorFlags = {
  call: {
    type: 'boolean',
    describe: 'ask each configured model one short question, which may cost money',
  },
  json: { type: 'boolean', describe: 'the lines for programs: a list of {name, status, detail, fix}' },
  engine: {
    ...runFlags.engine,
    group: undefined,
    describe: 'look at this database instead of the configured one',
  },
  agent: {
    ...runFlags.agent,
    group: undefined,
    describe: 'look at this agent instead of the configured one',
  },
  kb: { ...runFlags.kb, group: undefined },
  config: { ...runFlags.config, group: undefined },
  db: { ...runFlags.db, group: undefined },
  verbose: { type: 'boolean', describe: 'stacks of errors' },
} as const satisfies Record<string, Options>

/** What the help of `autotest doctor` ends with. */
export const doctorEpilogue = `Each check has a line, and runs whatever the others find, for 10 s at most:
  ok       as it should be
  note     worth knowing; nothing fails by it
  problem  what a run would fail with, or do without; what mends it is behind the arrow

What is looked at:
  machine  Node, SQLite, DuckDB, git and who commits, temporary folder, disk space
  project  configuration, benchmarks, knowledge base, the state of the repository, folders that
           are written to, run database
  run      the database answers SELECT 1, the agent can be started or reached, models have
           address, key and definition

Nothing of the project is changed: a database that its fixture would build is built elsewhere.
Outside a project the machine alone is looked at, and that there is no project is a note.

Exit codes: 0 no problem · 2 a problem · 130 interrupted`
