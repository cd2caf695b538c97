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

/** Groups diagnoses of one cluster by the words of their question, ignoring letter case and punctuation. */
function groupByQuestion<T extends RepairTypes>(
  diagnoses: readonly T['diagnosis'][],
): Map<string, T['diagnosis'][]> {
  const groups = new Map<string, T['diagnosis'][]>()
  for (const diagnosis of diagnoses) {
    const words = diagnosis.evaluation.testCase.question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
    const key = `${diagnosis.cluster ?? ''}\0${words.join(' ')}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [diagnosis])
    else group.push(diagnosis)
  }
  return groups
}
