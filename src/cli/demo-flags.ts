import type { Options } from 'yargs'

export const demoFlags = {
  domain: {
    choices: ['sql', 'tests'],
    requiresArg: true,
    describe: 'only the sample of text-to-SQL, or of unit tests [default: both]',
  },
  dir: {
    type: 'string',
    requiresArg: true,
    describe: 'folder of the copy, of one sample: sql, unless --domain says tests [default: a temporary one]',
  },
} as const satisfies Record<string, Options>
