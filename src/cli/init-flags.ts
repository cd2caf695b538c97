import type { Options } from 'yargs'

export const initFlags = {
  yes: { type: 'boolean', describe: 'write the files, and run the benchmark once' },
  engine: {
    type: 'string',
    requiresArg: true,
    describe: 'the database, as duckdb:FILE or sqlite:FILE [default: the one database file]',
  },
} as const satisfies Record<string, Options>
