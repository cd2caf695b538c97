import type { Options } from 'yargs'

/** Flags for the use of models in a run, and for its budget. */
export const modelFlags = {
  repairer: {
    type: 'string',
    requiresArg: true,
    array: true,
    describe: 'proposers of repairs, in order: rules,llm [default: both where a model is configured]',
    group: 'Repair:',
  },
  'max-llm-calls': {
    type: 'number',
    requiresArg: true,
    describe: 'maximum number of model calls, retries included [default: 50]',
    group: 'Models:',
  },
  'max-tokens': {
    type: 'number',
    requiresArg: true,
    describe: 'maximum number of tokens, input and output together',
    group: 'Models:',
  },
  'max-cost': {
    type: 'number',
    requiresArg: true,
    describe: 'maximum cost, by the price table in the configuration',
    group: 'Models:',
  },
  record: {
    type: 'string',
    requiresArg: true,
    describe: 'save every model reply in this folder',
    group: 'Models:',
  },
  replay: {
    type: 'string',
    requiresArg: true,
    describe: 'answer from a recorded folder; no model is called',
    group: 'Models:',
  },
} as const satisfies Record<string, Options>
