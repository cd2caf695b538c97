import { describe, expect, it } from 'vitest'
import type { RepairCandidate } from '../../../src/repair/model/candidate.js'
import type { Diagnosis } from '../../../src/repair/model/diagnosis.js'
import type { CaseFinding } from '../../../src/repair/model/repair-input.js'
import { explainSuspects, explainUntried } from '../../../src/repair/record/explain-outcomes.js'
import { diagnosisOf, inputOf, stateOf } from '../repair-input.js'

function candidateOf(diagnoses: readonly Diagnosis[], contradicting: readonly Diagnosis[]): RepairCandidate {
  const key = 'definition:revenue'
  return { key, clusterKeys: [key], diagnoses, plans: [], abstained: undefined, contradicting }
}

describe('explainUntried', () => {
  it('suspects the expected answer of a case left out of a repair, unless the repair fixed it nevertheless', () => {
    const [outlier, fixed, repaired] = [diagnosisOf('outlier'), diagnosisOf('fixed'), diagnosisOf('repaired')]
    const finding: CaseFinding = {
      label: 'wrong_definition',
      cause: 'a filter was missing',
      retries: 1,
      repairId: 'p1',
    }
    const before = stateOf({
      findings: new Map([
        ['fixed', finding],
        ['repaired', finding],
      ]),
    })
    const findings = explainUntried(candidateOf([repaired], [outlier, fixed]), true, before, inputOf({}))
    expect(findings.get('outlier')?.label).toBe('suspect_oracle')
    expect(findings.get('fixed')).toEqual(finding)
  })

  it('names the failing cases of the cluster that contradict a case, and the subject of the plan', () => {
    const [outlier, ...others] = [diagnosisOf('outlier'), diagnosisOf('a'), diagnosisOf('b')]
    const narrator = { subjectOfPassing: () => 'metric orders' }
    const findings = explainUntried(candidateOf(others, [outlier]), true, stateOf({}), inputOf({ narrator }))
    expect(findings.get('outlier')?.cause).toBe(
      'its expected answer contradicts 2 failing cases (a, b) of metric revenue',
    )
  })
})

describe('explainSuspects', () => {
  it('names the passing cases that contradict a case, and what those are of', () => {
    const narrator = {
      asksForSubjectAlone: () => true,
      passingSiblings: () => ['orders_th'],
      subjectOfPassing: () => 'metric orders',
    }
    const findings = explainSuspects(
      [diagnosisOf('outlier')],
      'the file changed',
      stateOf({}),
      inputOf({ narrator }),
    )
    expect(findings.get('outlier')).toMatchObject({
      label: 'suspect_oracle',
      cause: 'its expected answer contradicts passing case orders_th of metric orders; the file changed',
    })
  })

  it('names no passing cases where the question asks for more than its subject', () => {
    const narrator = { asksForSubjectAlone: () => false, passingSiblings: () => ['orders_th'] }
    const findings = explainSuspects(
      [diagnosisOf('outlier')],
      'the file changed',
      stateOf({}),
      inputOf({ narrator }),
    )
    expect(findings.get('outlier')?.cause).toBe('the file changed')
  })
})
