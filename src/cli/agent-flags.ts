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

/** Flags of `autotest sandbox`. */
export const sandboxFlags = {
  role: {
    ...guardFlags.role,
    demandOption: true,
    describe: 'whose rights: test-writer, coder, debugger, or another of agents/',
  },
  config: runFlags.config,
  verbose: agentExportFlags.verbose,
} as const satisfies Record<string, Options>
