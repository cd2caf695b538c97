import { expect, it } from 'vitest'
import type { Diagnosis } from '../../src/domains/sql/repair/model/plan.js'
import { describeContradiction } from '../../src/domains/sql/repair/record/contradicting-cases.js'
import type { Metric } from '../../src/kb/entry.js'

/** A plan would give the metric `revenue` another word; the question was answered from `orders`. */
const diagnosis = {
  subject: 'metric revenue',
  interpretation: { kind: 'bound', metric: { name: 'orders' } as Metric, bindings: [] },
} as unknown as Diagnosis

it("names the metric that the passing cases are of, and the plan's own for failing ones", () => {
  expect(describeContradiction(diagnosis, 'passing', ['orders_th'])).toBe(
    'its expected query contradicts passing case orders_th of metric orders',
  )
  expect(describeContradiction(diagnosis, 'failing', ['a', 'b'])).toBe(
    'its expected query contradicts 2 failing cases (a, b) of metric revenue',
  )
})
