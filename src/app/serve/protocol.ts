import { z } from 'zod'

/** Version of the methods and their forms; clients of another one are told so. */
export const protocolVersion = 1

const path = z.string().min(1)
/** Texts of files that are not saved yet: they stand in place of what is on the disk. */
const unsaved = z.array(z.object({ filePath: path, text: z.string() })).optional()
const testRequest = z.object({
  testPath: path,
  /** Of the file, as `TestCalc::test_add`; absent: all. */
  tests: z.array(path).optional(),
  /** After which a run is ended. */
  seconds: z.number().positive().max(3600).default(60),
  /** Unsaved or generated text of the test file. */
  text: z.string().optional(),
  unsaved,
})

/** Parameters of each method. */
export const methods = {
  initialize: z.looseObject({
    protocolVersion: z.int().optional(),
    /** Of the project, absolute; absent: where the server was started. */
    projectRoot: path.optional(),
    /** Interpreter that an editor chose. */
    python: path.optional(),
  }),
  parse_file: z.object({ filePath: path, text: z.string().optional(), version: z.int().optional() }),
  validate_syntax: z.object({ code: z.string() }),
  parse_python_function: z.object({ file_path: path, function_name: path, text: z.string().optional() }),
  gather_project_context: z.object({ project_root: path.optional() }),
  analyze_imports: z.object({ file_path: path, function_name: path }),
  generate_tests: z.object({
    function: z.looseObject({
      name: path,
      qualname: path.optional(),
      class_name: z.string().nullish(),
      filePath: path,
    }),
    projectRoot: path.optional(),
    framework: z.enum(['pytest', 'unittest']).optional(),
    seconds: z.number().positive().max(600).optional(),
    /** Who writes the tests: the search without a model, or the project's agent with its model. */
    writer: z.enum(['rules', 'model']).optional(),
    /** The only change that new tests are to notice, as `surviving_mutants` numbers it. */
    mutant: z.int().optional(),
    seed: z.int().min(1).optional(),
    /** Unsaved text of the file. */
    text: z.string().optional(),
    unsaved,
  }),
  run_tests: testRequest,
  test_coverage: testRequest,
  surviving_mutants: z.object({ filePath: path, function_name: path, testPath: path, unsaved }),
  registry: z.object({}),
  record_tests: z.object({
    filePath: path,
    function_name: path,
    testPath: path,
    testNames: z.array(path).min(1),
  }),
  cases: z.object({ filePath: path, text: z.string().optional() }),
  plan: z.object({ run: path }),
  compare: z.object({
    expected: z.string(),
    generated: z.string(),
    dialect: z.string().optional(),
    engine: z.string().optional(),
  }),
  run: z.object({
    ids: z.array(path).optional(),
    tags: z.array(path).optional(),
    mode: z.enum(['evaluate', 'dry_run']).default('evaluate'),
  }),
  why: z.object({
    caseId: path,
    limit: z.int().min(1).max(100).default(10),
    form: z.enum(['entries', 'text']).default('entries'),
  }),
  gates: z.object({ all: z.boolean().default(false) }),
  answer_gate: z.object({ id: path, choice: path }),
  apply_plan: z.object({ run: path }),
  reject_plan: z.object({ run: path, reason: z.string().default('') }),
  guardrails_get_context: z.object({
    agent: path,
    domain: z.string().optional(),
    action: z.string().optional(),
    events: z.array(z.literal('test_failure_repeated')).optional(),
  }),
} as const
export type MethodName = keyof typeof methods
export type Params<Name extends MethodName> = z.output<(typeof methods)[Name]>

/** A function as the editor shows it. */
export const parsedFunction = z.object({
  name: z.string(),
  qualname: z.string(),
  signature: z.string(),
  docstring: z.string().nullable(),
  body: z.string(),
  decorators: z.array(z.string()),
  is_async: z.boolean(),
  is_method: z.boolean(),
  class_name: z.string().nullable(),
  line_number: z.int(),
  end_line_number: z.int(),
})
export type ParsedFunction = z.output<typeof parsedFunction>

export const projectContext = z.object({
  dependencies: z.array(z.string()),
  test_framework: z.enum(['pytest', 'unittest']),
  existing_patterns: z.array(z.object({ file: z.string(), test: z.string() })),
  conftest: z.record(z.string(), z.array(z.object({ name: z.string(), docstring: z.string().nullable() }))),
})
export type ProjectContext = z.output<typeof projectContext>

export const importAnalysis = z.object({
  direct_imports: z.array(z.string()),
  used_by_function: z.array(z.string()),
  mock_candidates: z.array(z.string()),
})
export type ImportAnalysis = z.output<typeof importAnalysis>

/** A file that tests reach. Lines count from 1. */
export interface CoveredFile {
  readonly filePath: string
  /** Lines that have code. */
  readonly executable_lines: readonly number[]
  /** Those that run when the file is imported. */
  readonly imported: readonly number[]
  /** Those of each test. */
  readonly tests: Readonly<Record<string, readonly number[]>>
}

/** A test as the report of a run has it. */
export interface TestResult {
  readonly nodeid: string
  readonly outcome: 'passed' | 'failed' | 'error' | 'skipped' | 'xfailed' | 'xpassed'
  /** Seconds. */
  readonly duration: number
  readonly call?: { readonly longrepr: string; readonly line: number | null } | undefined
}
