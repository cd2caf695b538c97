import { expect, it } from 'vitest'
import type { Diagnosis } from '../../src/domains/sql/repair/model/plan.js'
import { Findings } from '../../src/repair/findings.js'
import type { RepairInput } from '../../src/repair/input.js'
import type { Snapshot } from '../../src/snapshot/snapshot.js'
import { caseOf } from './setting.js'

const diagnosisOf = (id: string): Diagnosis =>
  ({
    evaluation: { testCase: caseOf(id, id, 'SELECT 1') },
    subject: 'metric revenue',
    cluster: 'definition:revenue',
    interpretation: { kind: 'bound', bindings: [] },
  }) as unknown as Diagnosis

it('suspects what was left out of a repair unless the repair served it all the same', () => {
  const [odd, served, repaired] = ['odd', 'served', 'repaired'].map(diagnosisOf)
  if (odd === undefined || served === undefined || repaired === undefined) throw new Error('three are made')
  const findings = new Findings({} as RepairInput)
  const label = 'wrong_definition'
  for (const id of ['served', 'repaired'])
    findings.byCase.set(id, { label, cause: 'a filter was missing', retries: 1, repairId: 'p1' })
  findings.explain(
    {
      key: 'definition:revenue',
      clusterKeys: ['definition:revenue'],
      diagnoses: [repaired],
      plans: [],
      abstained: undefined,
      contradicting: [odd, served],
    },
    true,
    {} as Snapshot,
  )
  expect(findings.of(odd)?.label).toBe('suspect_oracle')
  expect(findings.of(served)).toMatchObject({ label, repairId: 'p1' })
})
