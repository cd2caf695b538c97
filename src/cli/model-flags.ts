import type { Options } from 'yargs'

/** Flags of what models do in a run, and of what they may take. */
export const modelFlags = {
  repairer: {
    type: 'string',
    requiresArg: true,
    array: true,
    describe:
      'what makes plans: rules,llm, the second where the first has none [default: both where a model is set up]',
    group: 'Repair:',
  },
  'max-llm-calls': {
    type: 'number',
    requiresArg: true,
    describe: 'calls to models, retries and all [default: 50]',
    group: 'Models:',
  },
  'max-tokens': {
    type: 'number',
    requiresArg: true,
    describe: 'tokens in and out together',
    group: 'Models:',
  },
  'max-cost': {
    type: 'number',
    requiresArg: true,
    describe: 'money, by the price table in the configuration',
    group: 'Models:',
  },
  record: {
    type: 'string',
    requiresArg: true,
    describe: 'keep every reply of a model in this folder',
    group: 'Models:',
  },
  replay: {
    type: 'string',
    requiresArg: true,
    describe: 'answer from such a folder; no model is asked',
    group: 'Models:',
  },
} as const satisfies Record<string, Options>
