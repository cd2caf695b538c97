import type { RepairTypes } from './diagnosis.js'

const maxSplits = 5

/** Each case to be left out once, with those of its cluster that are then learned from; at most five. */
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
 * Cases of a cluster that a model which is asked for every plan learns from, and one that it never sees: asking it once
 * more a case, as leaving out each does, would cost more than it shows.
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

/** Diagnoses of one cluster by the words of their question, whatever the letter case and the signs between. */
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
