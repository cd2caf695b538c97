import type { z } from 'zod'
import type { Dialect } from '../enums/dialect.js'
import type { BenchmarkCase, SourceLocation } from './case.js'

/** Settings in a benchmark file for all its cases. */
export interface FileSettings {
  readonly engine?: string | undefined
  readonly dialect?: Dialect | undefined
  readonly as_of?: string | undefined
}

/** Creates the case of a row; `locate` returns the position of the row, or of one of its keys. */
export type CaseBuilder<C extends BenchmarkCase> = (
  file: FileSettings,
  locate: (...path: readonly string[]) => SourceLocation,
) => C

/** One kind of case: the schema of its rows, and how a parsed row becomes a case. */
export interface CaseKind<C extends BenchmarkCase = BenchmarkCase> {
  readonly row: z.core.$ZodTypeDiscriminable & z.ZodType<CaseBuilder<C>>
}

/**
 * Creates a kind of case.
 *
 * @param row a strict object with `kind`, which distinguishes the kinds, `id` and `question`
 */
export function caseKind<S extends z.ZodObject, C extends BenchmarkCase>(
  row: S,
  toCase: (row: z.output<S>, ...place: Parameters<CaseBuilder<C>>) => C,
): CaseKind<C> {
  return {
    row: row.transform(
      (fields): CaseBuilder<C> =>
        (file, locate) =>
          toCase(fields, file, locate),
    ),
  }
}
