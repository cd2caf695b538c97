import { expect, it } from 'vitest'
import { clusterDiagnoses } from '../../../src/repair/diagnose/cluster-diagnoses.js'
import { diagnosisOf } from '../repair-input.js'

it('cases of one cause are one cluster, in the order of their first case', () => {
  const clusters = clusterDiagnoses([diagnosisOf('a'), diagnosisOf('b', 'tax'), diagnosisOf('c')])
  expect(clusters.map(({ key, subject }) => [key, subject])).toEqual([
    ['definition:revenue', 'metric revenue'],
    ['definition:tax', 'metric tax'],
  ])
  const members = clusters.map(({ diagnoses }) => diagnoses.map(({ evaluation }) => evaluation.testCase.id))
  expect(members).toEqual([['a', 'c'], ['b']])
})

it('a case without a cause that others can share is in no cluster', () => {
  expect(clusterDiagnoses([{ ...diagnosisOf('a'), cluster: undefined }])).toEqual([])
})
