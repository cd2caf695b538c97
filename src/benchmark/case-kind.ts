import type { z } from 'zod'
import type { Dialect } from '../enums/dialect.js'
import type { BenchmarkCase, SourceLocation } from './case.js'

/** What a benchmark file says of all its cases. */
export interface FileSettings {
  readonly engine?: string | undefined
  readonly dialect?: Dialect | undefined
  readonly as_of?: string | undefined
}

/** Makes the case of a row; `locate` tells where the row, or one of its keys, stands. */
export type CaseBuilder<C extends BenchmarkCase> = (
  file: FileSettings,
  locate: (...path: readonly string[]) => SourceLocation,
) => C

/** One kind of case: the schema of its rows, whose output makes the case. */
export interface CaseKind<C extends BenchmarkCase = BenchmarkCase> {
  readonly row: z.core.$ZodTypeDiscriminable & z.ZodType<CaseBuilder<C>>
}

/**
 * A kind of case.
 *
 * @param row a strict object with `kind`, which tells the kinds apart, `id` and `question`
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
