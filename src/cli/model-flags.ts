import type { Options } from 'yargs'

/** Flags for the use of models in a run. */
export const modelFlags = {
  repairer: {
    type: 'string',
    requiresArg: true,
    array: true,
    describe: 'proposers of repairs, in order: rules,llm [default: both where a model is configured]',
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
