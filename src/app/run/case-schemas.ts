import type { SqlCase } from '../../benchmark/case.js'
import { engineSchema } from '../../compare/engine-schema.js'
import type { Engine } from '../../engine/contract/engine.js'
import { AutotestError } from '../../errors.js'
import type { Schema } from '../../sql/index.js'

/** Tells the tables that a case's queries read, for cases of the engines that the given ones run on. */
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

/** An engine that is out of reach is told where a plan is verified on it: without its tables, less is shown equal. */
async function schemaOf(engine: Engine | undefined): Promise<Schema | undefined> {
  try {
    return engine && (await engineSchema(engine))
  } catch (error) {
    if (error instanceof AutotestError && error.code === 'engine_unavailable') return undefined
    throw error
  }
}
