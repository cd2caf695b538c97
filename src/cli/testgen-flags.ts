import type { Options } from 'yargs'

/** Flags of the commands that run a project's Python. */
interface PythonFlags {
  readonly python?: string | undefined
  readonly unsandboxed?: boolean | undefined
  readonly verbose?: boolean | undefined
}

/** Flags of `autotest generate` as parsed. */
export interface GenerateFlags extends PythonFlags {
  readonly targets?: readonly string[] | undefined
  readonly changed?: boolean | undefined
  readonly 'tests-dir'?: string | undefined
  readonly seconds?: number | undefined
  readonly seed?: number | undefined
  readonly 'dry-run'?: boolean | undefined
}

/** Flags of `autotest mutants` as parsed. */
export interface MutantsFlags extends PythonFlags {
  readonly target: string
  readonly tests?: readonly string[] | undefined
  readonly all?: boolean | undefined
}

const pythonFlags = {
  python: {
    type: 'string',
    requiresArg: true,
    describe: "interpreter [default: the project's virtual environment, else python3]",
    group: 'Python:',
  },
  unsandboxed: {
    type: 'boolean',
    describe: 'run generated code with your own rights where no sandbox can be had',
    group: 'Python:',
  },
  verbose: { type: 'boolean', describe: 'stack traces', group: 'Output:' },
} as const satisfies Record<string, Options>

export const generateFlags = {
  changed: {
    type: 'boolean',
    describe: 'only functions with lines that differ from the last commit',
    group: 'Selection:',
  },
  'tests-dir': {
    type: 'string',
    requiresArg: true,
    describe: 'folder of the test files, or beside-source [default: where the tests are, else tests]',
    group: 'Output:',
  },
  'dry-run': { type: 'boolean', describe: 'show the tests, write nothing', group: 'Output:' },
  seconds: {
    type: 'number',
    requiresArg: true,
    describe: 'search time for each function [default: 2]',
    group: 'Search:',
  },
  seed: {
    type: 'number',
    requiresArg: true,
    describe: 'the same seed searches the same inputs [default: 1]',
    group: 'Search:',
  },
  ...pythonFlags,
} as const satisfies Record<string, Options>

export const mutantsFlags = {
  tests: {
    type: 'string',
    array: true,
    requiresArg: true,
    describe: 'test files [default: the test file of the module]',
    group: 'Selection:',
  },
  all: { type: 'boolean', describe: 'killed mutants as well, with the test that noticed', group: 'Output:' },
  ...pythonFlags,
} as const satisfies Record<string, Options>

export interface RegistryFlags {
  readonly python?: string | undefined
}

export const registryFlags = {
  python: generateFlags.python,
  verbose: generateFlags.verbose,
} as const satisfies Record<string, Options>
