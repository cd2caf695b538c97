import type { Cluster, RepairTypes } from '../model/diagnosis.js'

/**
 * Groups diagnoses by cause, in the order of their first case. Those without a cluster key are left to a
 * person.
 */
export function clusterDiagnoses<T extends RepairTypes>(diagnoses: readonly T['diagnosis'][]): Cluster<T>[] {
  const groups = new Map<string, T['diagnosis'][]>()
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
