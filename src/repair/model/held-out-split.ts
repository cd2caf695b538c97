import type { RepairTypes } from './diagnosis.js'

const maxSplits = 5

/**
 * Returns each case to be held out once, with the cases of its cluster that are learned from; at most five.
 */
export function crossValidationSplits<T extends RepairTypes>(
  diagnoses: readonly T['diagnosis'][],
  named: ReadonlySet<string>,
): { readonly left: T['diagnosis']; readonly others: readonly T['diagnosis'][] }[] {
  return [...groupByQuestion<T>(diagnoses).values()]
    .filter((group) => group.every(({ evaluation }) => !named.has(evaluation.testCase.id)))
    .flatMap((group) => {
      const [left] = group
      const others = diagnoses.filter((each) => each.cluster === left?.cluster && !group.includes(each))
      return left === undefined || others.length === 0 ? [] : [{ left, others }]
    })
    .slice(0, maxSplits)
}

/**
 * Splits a cluster into cases that a model learns from and one that it never sees. A model has to be asked
 * for every plan, so that holding out each case in turn would cost more than it shows.
 */
export function splitHeldOut<T extends RepairTypes>(
  diagnoses: readonly T['diagnosis'][],
  named: ReadonlySet<string>,
): { readonly shown: readonly T['diagnosis'][]; readonly heldOut: readonly T['diagnosis'][] } {
  const groups = [...groupByQuestion<T>(diagnoses).values()]
  const heldOut = groups
    .slice(1)
    .findLast((group) => group.every(({ evaluation }) => !named.has(evaluation.testCase.id)))
  return { shown: diagnoses.filter((each) => heldOut?.includes(each) !== true), heldOut: heldOut ?? [] }
}

/**
 * Groups diagnoses of one cluster that are no evidence for each other: their questions have the same words, ignoring
 * letter case and punctuation, or ask for the same values.
 */
function groupByQuestion<T extends RepairTypes>(
  diagnoses: readonly T['diagnosis'][],
): Map<string, T['diagnosis'][]> {
  const groups = new Map<string, T['diagnosis'][]>()
  const firstKeys = new Map<string, string>()
  for (const diagnosis of diagnoses) {
    const words = diagnosis.evaluation.testCase.question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
    const prefix = `${diagnosis.cluster ?? ''}\0`
    const keys = [
      `${prefix}${words.join(' ')}`,
      ...(diagnosis.binding === undefined ? [] : [`${prefix}\0${diagnosis.binding}`]),
    ]
    const known = keys.map((each) => firstKeys.get(each)).find((each) => each !== undefined)
    const key = known ?? keys[0] ?? ''
    for (const each of keys) firstKeys.set(each, firstKeys.get(each) ?? key)
    groups.set(key, [...(groups.get(key) ?? []), diagnosis])
  }
  return groups
}
