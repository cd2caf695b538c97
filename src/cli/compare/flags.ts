import type { Options } from 'yargs'
import { runFlags } from '../flags.js'

/** Flags of `autotest compare` as parsed. */
export interface CompareFlags {
  readonly case?: string | undefined
  readonly expected?: string | undefined
  readonly generated?: string | undefined
  readonly engine?: string | undefined
  readonly dialect?: string | undefined
  readonly explain?: boolean | undefined
  readonly jsonl?: string | undefined
  readonly fuzz?: number | undefined
  readonly seed?: number | undefined
  readonly db?: string | undefined
  readonly config?: string | undefined
}

export const compareFlags = {
  // SQL that begins with a comment looks like a flag and goes after =; without a count it would be taken apart.
  expected: {
    type: 'string',
    nargs: 1,
    describe: 'the query that is right, or @FILE',
    group: 'Two queries:',
  },
  generated: { type: 'string', nargs: 1, describe: 'the query to judge, or @FILE', group: 'Two queries:' },
  engine: {
    type: 'string',
    describe: 'database to run both on, as duckdb:FILE or sqlite:FILE',
    group: 'Two queries:',
  },
  dialect: {
    type: 'string',
    describe: "what both are written in [default: the engine's, else ansi]",
    group: 'Two queries:',
  },
  jsonl: {
    type: 'string',
    describe: 'many pairs: one JSON a line from FILE, or from standard input',
    group: 'In bulk:',
  },
  explain: { type: 'boolean', describe: 'the canonical forms side by side', group: 'Output:' },
  fuzz: { ...runFlags.fuzz, group: 'Two queries:' },
  seed: { ...runFlags.seed, group: 'Two queries:' },
  db: runFlags.db,
  config: runFlags.config,
  verbose: { type: 'boolean', describe: 'stacks of errors', group: 'Output:' },
} as const satisfies Record<string, Options>
