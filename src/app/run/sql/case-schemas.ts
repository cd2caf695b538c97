import type { SqlCase } from '../../../benchmark/case.js'
import { engineSchema } from '../../../compare/engine-schema.js'
import type { Engine } from '../../../engine/contract/engine.js'
import { AutotestError } from '../../../errors.js'
import type { Schema } from '../../../sql/index.js'

/**
 * Returns a function for the schema that a case's queries use, for cases with the same engines as the given
 * ones.
 */
export async function caseSchemas(
  cases: readonly SqlCase[],
  engineOf: (testCase: SqlCase) => Promise<Engine | undefined>,
): Promise<(testCase: SqlCase) => Schema | undefined> {
  const byEngine = new Map(cases.map((testCase) => [testCase.engine, testCase]))
  const known = new Map(
    await Promise.all(
      [...byEngine].map(async ([url, testCase]) => [url, await schemaOf(await engineOf(testCase))] as const),
    ),
  )
  return (testCase) => known.get(testCase.engine)
}

/**
 * Returns the schema of an engine; undefined if it cannot be reached, which is reported when a plan is
 * verified: without the schema fewer queries are proved equivalent.
 */
async function schemaOf(engine: Engine | undefined): Promise<Schema | undefined> {
  try {
    return engine && (await engineSchema(engine))
  } catch (error) {
    if (error instanceof AutotestError && error.code === 'engine_unavailable') return undefined
    throw error
  }
}
