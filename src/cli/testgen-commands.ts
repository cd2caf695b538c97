import type { Argv } from 'yargs'
import type { RunCommand } from './command-context.js'
import { projectFlags } from './flags.js'
import {
  type GenerateFlags,
  generateFlags,
  type MutantsFlags,
  mutantsFlags,
  type RegistryFlags,
  registryFlags,
} from './testgen-flags.js'

/** Declares the commands about unit tests for Python. */
export function declareTestgenCommands(parser: Argv, run: RunCommand): Argv {
  return parser
    .command(
      'generate [targets..]',
      'write unit tests for Python functions, with the mutants that they kill; no model needed',
      (command) =>
        command
          .positional('targets', {
            type: 'string',
            array: true,
            describe: 'FILE::FUNCTION, a file, or a folder [default: the whole project]',
          })
          .options(generateFlags)
          .example('$0 generate src/pricing.py::calculate_total', 'tests of one function')
          .example('$0 generate src/ --changed', 'tests of what differs from the last commit')
          .example('$0 generate src/pricing.py --dry-run', 'show the tests, write nothing')
          .epilogue(
            'Exit codes: 0 every function has tests · 1 some have none · 2 usage, no Python, pytest or sandbox · 3 the Python process failed · 5 no function matched · 130 interrupted',
          ),
      run<GenerateFlags>(async () => (await import('./commands/generate.js')).generateCommand),
    )
    .command(
      'mutants <target>',
      'change a Python function in small ways and show which changes its tests do not notice',
      (command) =>
        command
          .positional('target', { type: 'string', describe: 'FILE::FUNCTION' })
          .options(mutantsFlags)
          .example(
            '$0 mutants src/pricing.py::calculate_total --tests tests/test_pricing.py',
            'its survivors',
          )
          .epilogue(
            'Exit codes: 0 every mutant is killed · 1 some survive, or a test fails · 2 usage, no Python, pytest or sandbox · 3 the Python process failed · 130 interrupted',
          ),
      run<MutantsFlags>(async () => (await import('./commands/mutants.js')).mutantsCommand),
    )
    .command('registry', 'which tests belong to which function: list, sync', (command) =>
      command
        .command(
          ['list', '$0'],
          'the functions of autotest.registry.json, with their tests',
          (sub) => sub.options(registryFlags),
          run<RegistryFlags>(async () => (await import('./commands/registry.js')).listRegistryCommand),
        )
        .command(
          'sync',
          'write autotest.registry.json again from the tests that exist; renamed functions are found by their content',
          (sub) => sub.options(registryFlags),
          run<RegistryFlags>(async () => (await import('./commands/registry.js')).syncRegistryCommand),
        ),
    )
    .command(
      'mcp',
      'serve the project to agents by the Model Context Protocol, over standard input and output',
      (command) =>
        command
          .options(projectFlags)
          .epilogue(
            'Tools: list_cases, show_case, why, run, compare, plan, apply (verified plans only, confirmed by their digest), revert, reject, gates. Resources: autotest://runs, autotest://runs/ID. See docs/mcp.md.',
          ),
      run<{ config?: string }>(async () => (await import('./commands/mcp.js')).mcpCommand),
    )
    .command(
      'serve',
      'answer requests of an editor on standard input: JSON-RPC 2.0, each message after a Content-Length header',
      (command) =>
        command.epilogue(
          'Methods and their parameters: docs/server.md. The server ends with its input, or by the notification exit.',
        ),
      run<Record<string, never>>(async () => (await import('./commands/serve.js')).serveCommand),
    )
}
