import type { AcceptedRepair } from '../../repair/model/repair-input.js'

/** Repairs that change a common file: committed or reverted together. */
export type RepairGroup = readonly AcceptedRepair[]

export function groupByFile(accepted: readonly AcceptedRepair[]): RepairGroup[] {
  const groups: AcceptedRepair[][] = []
  for (const repair of accepted) {
    const paths = new Set(repair.changes.map((change) => change.path))
    const touching = groups.filter((group) =>
      group.some((other) => other.changes.some((change) => paths.has(change.path))),
    )
    const rest = groups.filter((group) => !touching.includes(group))
    groups.splice(0, groups.length, ...rest, [...touching.flat(), repair])
  }
  return groups
}

/** Returns the files that the repairs change, relative to the root. */
export function pathsOf(repairs: readonly AcceptedRepair[]): string[] {
  return [...new Set(repairs.flatMap(({ changes }) => changes.map((change) => change.path)))]
}

export function titleOf(group: RepairGroup): string {
  return group.map(({ attempt }) => attempt.title).join(' + ')
}
