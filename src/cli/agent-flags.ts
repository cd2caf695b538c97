import type { Options } from 'yargs'
import { runFlags } from './flags.js'

/** Flags of `autotest agent export`. */
export const agentExportFlags = {
  to: {
    type: 'string',
    requiresArg: true,
    demandOption: true,
    describe: 'folder: the root of a project (of definitions: that of the files, such as .claude/agents)',
  },
  form: {
    choices: ['claude', 'neutral', 'definitions'],
    requiresArg: true,
    describe:
      'claude: .claude/agents, skills, rules and CLAUDE.md; neutral: agents/ and AGENTS.md; definitions: only the agents of agents/*.yaml [default: claude]',
  },
  command: {
    type: 'string',
    requiresArg: true,
    describe: 'how hooks call this program [default: npx --no-install autotest]',
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
  timeout: {
    type: 'number',
    requiresArg: true,
    default: 600,
    describe: 'seconds after which the command and all that it started are ended',
  },
  config: runFlags.config,
  verbose: agentExportFlags.verbose,
} as const satisfies Record<string, Options>
