import { expect, it } from 'vitest'
import type { Diagnosis, SqlTypes } from '../../../../../src/domains/sql/repair/model/sql-repair-types.js'
import type { Metric } from '../../../../../src/kb/entry.js'
import type { RepairInput } from '../../../../../src/repair/model/repair-input.js'
import { initialState } from '../../../../../src/repair/model/repair-state.js'
import { explainSuspects, explainUntried } from '../../../../../src/repair/record/explain-outcomes.js'
import { snapshotOf } from '../../../../kb/knowledge-files.js'
import { loopInputOf, warehouseForTests } from '../repair-in-memory.js'
import { caseOf } from '../shop.js'

const warehouse = warehouseForTests()

/** A plan would give the metric `revenue` another word; the question was answered from `orders`. */
const diagnosisOf = (id: string): Diagnosis =>
  ({
    evaluation: { testCase: caseOf(id, id, 'SELECT 1') },
    subject: 'metric revenue',
    cluster: 'definition:revenue',
    interpretation: { kind: 'bound', metric: { name: 'orders' } as Metric, bindings: [] },
  }) as unknown as Diagnosis

/** Input of a repair of which `orders_th` is a passing case that asks for the same. */
function input(): RepairInput<SqlTypes> {
  const given = loopInputOf(warehouse, snapshotOf({}), [])
  const narrator = { ...given.domain.explainer, passingSiblings: () => ['orders_th'] }
  return { ...given, domain: { ...given.domain, explainer: narrator } }
}

it("names the metric that the passing cases are of, and the plan's own for failing ones", () => {
  const [outlier, ...others] = [diagnosisOf('outlier'), diagnosisOf('a'), diagnosisOf('b')]
  const state = initialState(input())
  expect(explainSuspects([outlier], 'it changed', state, input()).get('outlier')?.cause).toBe(
    'its expected query contradicts passing case orders_th of metric orders; it changed',
  )
  const key = 'definition:revenue'
  const candidate = { key, clusterKeys: [key], diagnoses: others, plans: [], abstained: undefined }
  const findings = explainUntried({ ...candidate, contradicting: [outlier] }, true, state, input())
  expect(findings.get('outlier')?.cause).toBe(
    'its expected query contradicts 2 failing cases (a, b) of metric revenue',
  )
})
