import { z } from 'zod'

/** A parameter of a function, without `self` and `cls`. */
const parameter = z.object({
  name: z.string(),
  kind: z.enum(['positional_only', 'positional', 'var_positional', 'keyword_only', 'var_keyword']),
  type: z.string().nullable(),
  /** The default as JSON, where it is a literal that JSON has; `default_source` is the truth. */
  default: z.unknown(),
  default_source: z.string().nullable(),
  required: z.boolean(),
})

/** What the syntax tree says of a function. */
export const functionDescription = z.object({
  name: z.string(),
  qualname: z.string(),
  role: z.enum(['function', 'method', 'classmethod', 'staticmethod', 'property']),
  class_name: z.string().nullable(),
  is_nested: z.boolean(),
  is_async: z.boolean(),
  is_generator: z.boolean(),
  decorators: z.array(z.string()),
  parameters: z.array(parameter),
  returns: z.string().nullable(),
  docstring: z.string().nullable(),
  raises: z.array(z.string()),
  overloads: z.boolean(),
  line: z.int(),
  end_line: z.int(),
})
export type FunctionDescription = z.output<typeof functionDescription>

const collectionError = z.object({ test: z.string(), message: z.string() })

/** The outcome of each test of a run. */
export const testRun = z.object({
  exit_code: z.int().nullable(),
  tests: z.array(
    z.object({
      test: z.string(),
      outcome: z.enum(['passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed']),
      message: z.string().nullable(),
      line: z.int().nullable(),
      /** Milliseconds. */
      ms: z.number(),
    }),
  ),
  errors: z.array(collectionError),
  /** Files and classes that are skipped as a whole, with the reason: their tests are not known. */
  left_out: z.array(collectionError).optional(),
  /** Why there is no outcome: `timeout` or `crash`. */
  failure: z.string().optional(),
  message: z.string().optional(),
  ms: z.number(),
})
export type TestRun = z.output<typeof testRun>

/** A run, and of each source that it reached the lines that have code, those that its import ran, and those of each test. */
export const coverageRun = testRun.extend({
  files: z.array(
    z.object({
      path: z.string(),
      executable_lines: z.array(z.int()),
      imported: z.array(z.int()),
      tests: z.record(z.string(), z.array(z.int())),
    }),
  ),
})

/** A mutant of a function and what tests make of it. */
export const mutantOutcome = z.object({
  number: z.int(),
  operator: z.string(),
  line: z.int(),
  /** The statement before and after, on one line. */
  before: z.string(),
  after: z.string(),
  outcome: z.enum(['killed', 'survived', 'not_run']),
  /** The test that notices it, or `timeout`; of one that none notices `crash`, if the process ended before a test had a result. */
  by: z.string().nullable(),
  /** All tests that notice it, where they were asked for; it is the first otherwise. */
  killers: z.array(z.string()).optional(),
})
export type MutantOutcome = z.output<typeof mutantOutcome>

export const mutantScore = z.object({
  /** The tests on the function as it is. */
  reference: z.array(z.looseObject({ test: z.string(), outcome: z.string(), message: z.string().nullish() })),
  mutants: z.array(mutantOutcome),
  /** Lines of the function that the tests reach, and those that have code. */
  lines: z.array(z.int()),
  executable_lines: z.array(z.int()),
  branches: z.object({ taken: z.int(), total: z.int() }),
  /** A test that fails where the function is only written in another way: it looks at its code, or at how it is run. */
  noticed_rewrite: z.string().nullable(),
  errors: z.array(collectionError),
  left_out: z.array(collectionError).optional(),
  ms: z.number(),
})
export type MutantScore = z.output<typeof mutantScore>

/** Tests that were written without a model. */
export const writtenTests = z.object({
  /** The whole test file. */
  text: z.string(),
  /** Names of the tests that are new in it. */
  names: z.array(z.string()),
  /** How many mutants there are. */
  mutants: z.int(),
  /** Numbers of the mutants that some input tells from the function. */
  killed: z.array(z.int()),
  /** Examples in the docstring that do not hold. */
  failing_doctests: z.array(z.string()),
  /** They, and other behaviour that looks wrong by what the function says of itself: it has no test. */
  suspects: z.array(z.string()),
  /** What a person should look at, though tests hold it. */
  hints: z.array(z.string()),
  /** Whether the module of the function makes sets or asks for hashes, whose order and values differ from run to run. */
  uses_hashes: z.boolean(),
  /** Why there are no tests, where those that are there are not the reason. */
  problem: z.string().nullable(),
  seconds: z.number(),
})

/** What the syntax tree of a test file says of it. */
export const testStructure = z.object({
  tests: z.array(z.string()),
  /** Tests that were not there before, or were another. */
  new: z.array(z.string()),
  problems: z.array(
    z.object({
      rule: z.string(),
      test: z.string().nullable(),
      line: z.int().nullable(),
      message: z.string(),
      severity: z.enum(['error', 'warning']),
    }),
  ),
})
export type TestStructure = z.output<typeof testStructure>

/** Tests that examples of acceptance criteria were made into. */
export const exampleTests = z.object({
  /** The whole test file. */
  text: z.string(),
  /** Names of the tests that are new in it. */
  names: z.array(z.string()),
  /** Modules that what is tested is, or will be, in. */
  modules: z.array(z.string()),
  /** Criteria without an example. */
  without: z.array(z.string()),
  /** Names that examples call and nobody has placed. */
  unknown: z.array(z.string()),
})

const suspectLine = z.object({
  path: z.string(),
  line: z.int(),
  function: z.string().nullish(),
  /** 0 to 1, by the tests that run it. */
  suspicion: z.number(),
  /** Number of changes of it with which all tests pass. */
  fixes: z.int(),
  /** That of the last of equals, from 1. */
  rank: z.int(),
})

/** A change of one line with which all tests pass. */
const candidateFix = z.object({
  path: z.string(),
  function: z.string(),
  line: z.int(),
  operator: z.string(),
  before: z.string(),
  after: z.string(),
  /** The whole file with the change. */
  text: z.string(),
})
export type CandidateFix = z.output<typeof candidateFix>

/** Why tests fail. */
export const faultSearch = z.object({
  failing: z.array(
    z.object({
      test: z.string(),
      message: z.string().nullable(),
      line: z.int().nullable(),
      place: z.tuple([z.string(), z.int()]).nullable(),
    }),
  ),
  passing: z.int(),
  errors: z.array(collectionError),
  /** Number of changes tried. */
  tried: z.int(),
  /** Whether the search was ended by its guard of processor time: then no change is proposed. */
  stopped: z.boolean(),
  lines: z.array(suspectLine),
  fixes: z.array(candidateFix),
  /** Number of changes with which all tests pass. */
  whole: z.int(),
})
export type FaultSearch = z.output<typeof faultSearch>

/** Functions of a file with a hash of their content, in which their name is left out. */
export const functionContents = z.array(z.object({ qualname: z.string(), content: z.string() }))
