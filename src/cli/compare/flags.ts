import type { Options } from 'yargs'
import type { Policy } from '../../enums/verdict-policy.js'
import { runFlags } from '../flags.js'

/** Flags of `autotest compare` as parsed. */
export interface CompareFlags {
  readonly case?: string | undefined
  readonly expected?: string | undefined
  readonly generated?: string | undefined
  readonly engine?: string | undefined
  readonly dialect?: string | undefined
  readonly 'expected-dialect'?: string | undefined
  readonly 'generated-dialect'?: string | undefined
  readonly explain?: boolean | undefined
  readonly jsonl?: string | undefined
  readonly fuzz?: number | undefined
  readonly seed?: number | undefined
  readonly policy?: Policy | undefined
  readonly db?: string | undefined
  readonly config?: string | undefined
}

export const compareFlags = {
  // Without a count the parser would split SQL.
  expected: {
    type: 'string',
    nargs: 1,
    describe: 'the expected query, or @FILE',
    group: 'Two queries:',
  },
  generated: { type: 'string', nargs: 1, describe: 'the generated query, or @FILE', group: 'Two queries:' },
  engine: {
    type: 'string',
    describe:
      'database to run both on, as duckdb:FILE, sqlite:FILE, postgres://USER@HOST/DATABASE, mysql://… or http:URL',
    group: 'Two queries:',
  },
  dialect: {
    type: 'string',
    describe: "SQL dialect of both queries [default: the engine's, else ansi]",
    group: 'Two queries:',
  },
  'expected-dialect': {
    type: 'string',
    describe: 'SQL dialect of the expected query, where they differ',
    group: 'Two queries:',
  },
  'generated-dialect': {
    type: 'string',
    describe: 'SQL dialect of the generated query, where they differ',
    group: 'Two queries:',
  },
  jsonl: {
    type: 'string',
    describe: 'many pairs: one JSON object per line from FILE, or from standard input (-)',
    group: 'In bulk:',
  },
  explain: { type: 'boolean', describe: 'show the canonical forms side by side', group: 'Output:' },
  fuzz: { ...runFlags.fuzz, group: 'Two queries:' },
  seed: { ...runFlags.seed, group: 'Two queries:' },
  policy: { ...runFlags.policy, group: 'Two queries:' },
  db: runFlags.db,
  config: runFlags.config,
  verbose: { type: 'boolean', describe: 'stack traces', group: 'Output:' },
} as const satisfies Record<string, Options>

/**
 * Returns the arguments with `--expected SQL` as `--expected=SQL` if the query begins with a comment, which
 * would be parsed as a flag (a flag has no white space before its value, a comment before a query has), and
 * `--jsonl -` as `--jsonl=-`, whose dash would be treated as a case.
 */
export function withJoinedValues(args: readonly string[]): readonly string[] {
  const joined: string[] = []
  for (let at = 0; at < args.length; at++) {
    const [flag = '', value = ''] = args.slice(at, at + 2)
    const isSql = (flag === '--expected' || flag === '--generated') && /^-[^=\s]*\s/u.test(value)
    const isJoined = isSql || (flag === '--jsonl' && value === '-')
    joined.push(isJoined ? `${flag}=${value}` : flag)
    if (isJoined) at++
  }
  return joined
}
