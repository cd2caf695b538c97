import type { Cluster, Diagnosis } from '../plan.js'

/** Groups diagnoses by cause, in the order of their first case. Those without a cluster key go to a person. */
export function clusterDiagnoses(diagnoses: readonly Diagnosis[]): Cluster[] {
  const groups = new Map<string, Diagnosis[]>()
  for (const diagnosis of diagnoses) {
    if (diagnosis.cluster === undefined) continue
    const group = groups.get(diagnosis.cluster)
    if (group === undefined) groups.set(diagnosis.cluster, [diagnosis])
    else group.push(diagnosis)
  }
  return [...groups].flatMap(([key, members]) => {
    const first = members[0]
    if (first === undefined) return []
    return [{ key, label: first.label, subject: first.subject, diagnoses: members }]
  })
}
