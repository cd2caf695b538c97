import type { Options } from 'yargs'
import { budgetFlags } from './budget-flags.js'
import { runFlags } from './flags.js'
import { modelFlags } from './model-flags.js'

/** Who plays a role. */
type Player = 'rules' | 'llm'

const player = (what: string) =>
  ({
    choices: ['rules', 'llm'],
    requiresArg: true,
    describe: `${what} [default: --agents]`,
    group: 'Who works:',
  }) as const

export interface TddFlags {
  readonly task: string
  readonly 'dry-run'?: boolean | undefined
  readonly restart?: boolean | undefined
  readonly 'file-issues'?: boolean | undefined
  readonly agents?: Player | undefined
  readonly 'test-writer'?: Player | undefined
  readonly coder?: Player | undefined
  readonly debugger?: Player | undefined
  readonly 'max-llm-calls'?: number | undefined
  readonly 'max-tokens'?: number | undefined
  readonly 'max-cost'?: number | undefined
  readonly record?: string | undefined
  readonly replay?: string | undefined
  readonly seconds?: number | undefined
  readonly python?: string | undefined
  readonly db?: string | undefined
  readonly config?: string | undefined
  readonly verbose?: boolean | undefined
}

export const tddFlags = {
  'dry-run': { type: 'boolean', describe: 'show the diff at the end, write nothing' },
  restart: { type: 'boolean', describe: 'begin anew although the task is unfinished' },
  'file-issues': {
    type: 'boolean',
    describe: 'where a test is skipped at a gate, file its issue on GitHub by gh',
  },
  agents: {
    choices: ['rules', 'llm'],
    requiresArg: true,
    describe:
      'rules, or models as agents/*.yaml define them [default: llm for the roles that llm.roles names, else rules]',
    group: 'Who works:',
  },
  'test-writer': player('who writes tests'),
  coder: player('who writes code'),
  debugger: player('who says why tests fail'),
  'max-llm-calls': budgetFlags['max-llm-calls'],
  'max-tokens': budgetFlags['max-tokens'],
  'max-cost': budgetFlags['max-cost'],
  record: modelFlags.record,
  replay: modelFlags.replay,
  seconds: {
    type: 'number',
    requiresArg: true,
    describe: 'time for the search of a fault without a model [default: 60]',
  },
  python: runFlags.python,
  db: runFlags.db,
  config: runFlags.config,
  verbose: { type: 'boolean', describe: 'messages between the agents as JSON, stack traces' },
} as const satisfies Record<string, Options>

export interface GatesFlags {
  readonly all?: boolean | undefined
  readonly json?: boolean | undefined
  readonly db?: string | undefined
  readonly config?: string | undefined
}

export const gatesFlags = {
  all: { type: 'boolean', describe: 'also those that are answered or have expired' },
  json: { type: 'boolean', describe: 'JSON output, for programs' },
  db: runFlags.db,
  config: runFlags.config,
  verbose: { type: 'boolean', describe: 'stack traces' },
} as const satisfies Record<string, Options>

export interface GateAnswerFlags {
  readonly id: string
  readonly choice: string
  readonly db?: string | undefined
  readonly config?: string | undefined
}

export const gateAnswerFlags = {
  choice: {
    type: 'string',
    requiresArg: true,
    demandOption: true,
    describe: 'A, B …; there is no default',
  },
  db: runFlags.db,
  config: runFlags.config,
  verbose: gatesFlags.verbose,
} as const satisfies Record<string, Options>
