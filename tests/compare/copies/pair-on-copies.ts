import { createCopyComparer } from '../../../src/compare/copies/compare-on-copies.js'
import type { StagedSamplesOptions } from '../../../src/compare/copies/sampled/staged-samples.js'
import type { CopyFinding } from '../../../src/compare/model/sql-score.js'
import { queryOrder } from '../../../src/compare/order/query-order.js'
import type { Engine } from '../../../src/engine/contract/engine.js'
import { loadSqlParser } from '../../../src/sql/index.js'
import { limits } from '../../engine/temporary-database.js'

/** What five fuzzed copies say of two queries. */
export async function findingOf(
  engine: Engine,
  expectedSql: string,
  generatedSql: string,
  {
    seed = 1,
    samples,
    source,
  }: { seed?: number; samples?: StagedSamplesOptions; source?: Engine | undefined } = {},
): Promise<CopyFinding | undefined> {
  const comparer = createCopyComparer({
    count: 5,
    seed,
    source: async () => source,
    samples,
    loadParser: loadSqlParser,
  })
  return comparer.compare(engine, {
    expectedSql,
    generatedSql,
    limits,
    order: queryOrder(await loadSqlParser(), expectedSql, engine.dialect),
    tolerance: 1e-4,
    columns: 'auto',
  })
}
