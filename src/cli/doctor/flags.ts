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
    describe: 'call each configured model once, which may cost money',
  },
  json: { type: 'boolean', describe: 'JSON output: a list of {name, status, detail, fix}' },
  engine: {
    ...runFlags.engine,
    group: undefined,
    describe: 'check this database instead of the configured one',
  },
  agent: {
    ...runFlags.agent,
    group: undefined,
    describe: 'check this agent instead of the configured one',
  },
  kb: { ...runFlags.kb, group: undefined },
  config: { ...runFlags.config, group: undefined },
  db: { ...runFlags.db, group: undefined },
  verbose: { type: 'boolean', describe: 'stack traces' },
} as const satisfies Record<string, Options>

/** The last part of the help of `autotest doctor`. */
export const doctorEpilogue = `Each check prints one line, runs independently of the others, and takes at most 10 s:
  ok       nothing to do
  note     worth knowing; no run fails because of it
  problem  what would make a run fail or limit it; the fix follows the arrow

What is checked:
  machine  Node, SQLite, DuckDB, git and its identity, temporary folder, disk space
  project  configuration, benchmarks, knowledge base, state of the repository, folders that
           are written to, run database
  run      the database answers SELECT 1, the agent can be started or reached, models have an
           address, key and definition

Nothing in the project is changed: a database that its fixture would build is built elsewhere.
Outside a project only the machine is checked; the missing project is a note.

Exit codes: 0 no problem · 2 a problem · 130 interrupted`
