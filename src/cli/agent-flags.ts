import type { Options } from 'yargs'
import { runFlags } from './flags.js'

/** Flags of `autotest agent export`. */
export const agentExportFlags = {
  to: {
    type: 'string',
    requiresArg: true,
    demandOption: true,
    describe: 'folder of the files, such as .claude/agents',
  },
  config: runFlags.config,
  verbose: { type: 'boolean', describe: 'stack traces', group: 'Output:' },
} as const satisfies Record<string, Options>

/** Flags of `autotest guard`. */
export const guardFlags = {
  role: {
    type: 'string',
    requiresArg: true,
    describe: 'who asks: test-writer, coder (or backend, frontend), debugger',
  },
  config: runFlags.config,
} as const satisfies Record<string, Options>
