import type { Options } from 'yargs'

/** Flags for what a run may spend. */
export const budgetFlags = {
  'max-time': {
    type: 'string',
    requiresArg: true,
    describe: 'time limit of the run (90s, 10m): exit 4 when it is reached',
    group: 'Limits:',
  },
  'max-scan': {
    type: 'string',
    requiresArg: true,
    describe: 'most that engines may read (10GB), or seconds of their queries together (5m): exit 4',
    group: 'Limits:',
  },
  'max-llm-calls': {
    type: 'number',
    requiresArg: true,
    describe: 'maximum number of model calls, retries included [default: 50]',
    group: 'Limits:',
  },
  'max-tokens': {
    type: 'number',
    requiresArg: true,
    describe: 'maximum number of tokens, input and output together',
    group: 'Limits:',
  },
  'max-cost': {
    type: 'number',
    requiresArg: true,
    describe: 'maximum cost, by the price table in the configuration',
    group: 'Limits:',
  },
} as const satisfies Record<string, Options>
