import { z } from 'zod'
import type { BenchmarkCase, SourceLocation } from '../../benchmark/case.js'
import { caseKind } from '../../benchmark/case-kind.js'
import { caseFields, filled } from '../../benchmark/schema.js'

/** A function that tests are to be written for. */
export interface TestsCase extends BenchmarkCase {
  readonly kind: 'tests'
  /** Its file, relative to the Python project, POSIX; a folder, or a file without a function, stands for many cases. */
  readonly file: string
  /** Its qualified name: `Cart.total`; undefined: every function of the file or folder. */
  readonly function: string | undefined
  /** What it should do, in words, perhaps with examples. */
  readonly spec: string | undefined
  /** Least share of killable mutants that its tests must kill; undefined: as configured. */
  readonly minMutationScore: number | undefined
  /** The same file with a bug that tests must notice; relative to the Python project. */
  readonly buggy: string | undefined
  /** Tests that show which mutants can be killed; relative to the Python project. */
  readonly expectedTests: string | undefined
  /** Files beside those of the project, by path: a case made from another one has its function there. */
  readonly overlay?: ReadonlyMap<string, string> | undefined
  /** Where its `file` is. */
  readonly fileLocation: SourceLocation
}

const path = filled
  .refine((text) => !/^(?:[/\\]|[A-Za-z]:)|(?:^|\/)\.\.(?:\/|$)|\\/.test(text), {
    error: 'must be relative to the Python project, with `/`, and stay inside it',
  })
  .transform((text) => text.replace(/^(?:\.\/)+/, '').replace(/\/+$/, ''))

/** `{kind: tests, id, file, function}`: tests are written for the function, run and scored. */
export const testsCaseKind = caseKind(
  z.strictObject({
    kind: z.literal('tests'),
    id: caseFields.id,
    file: path,
    function: filled.optional(),
    spec: filled.optional(),
    tags: caseFields.tags,
    min_mutation_score: z.number().min(0, 'must not be negative').max(1, 'must be at most 1').optional(),
    buggy: path.optional(),
    expected_tests: path.optional(),
  }),
  (row, _file, locate): TestsCase => ({
    kind: 'tests',
    id: row.id,
    question: questionOf(row.file, row.function),
    file: row.file,
    function: row.function,
    spec: row.spec,
    tags: row.tags ?? [],
    minMutationScore: row.min_mutation_score,
    buggy: row.buggy,
    expectedTests: row.expected_tests,
    location: locate(),
    fileLocation: locate('file'),
  }),
)

export function questionOf(file: string, name: string | undefined): string {
  return name === undefined ? `tests of ${file}` : `tests of ${name} in ${file}`
}
