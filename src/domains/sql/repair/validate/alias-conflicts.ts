import type { Edit } from '../../../../edit/edit-types.js'
import type { KnowledgeBase, Metric } from '../../../../kb/entry.js'
import { isAmongValues, type SlotEdit, type SlotValue, valueInSlot } from '../../../../kb/entry-slots.js'
import { wordsAddedBy } from '../model/edited-words.js'
import { type RepairContext, slotEditsIn } from '../model/repair-context.js'

/**
 * Returns why words that a plan adds may have another meaning according to the rest of the knowledge base: a
 * word that means another value elsewhere ("PH" as an alias of SG, while it is the Philippines in other
 * metrics), or an alias of a metric that contains the words of a value elsewhere ("AOV by device").
 */
export function findAliasConflicts(
  all: readonly Edit[],
  kb: KnowledgeBase,
  context: Pick<RepairContext, 'format'> = {},
): string[] {
  const edits = slotEditsIn(all, context)
  return edits.flatMap((edit) => {
    const { slot, action } = edit
    if (action === 'remove') return []
    // The words of a renamed key mean another code from then on.
    const isRenamed = action === 'rename'
    const words = isRenamed ? wordsOf(edit.expected) : wordsAddedBy([edit]).map(({ word }) => word)
    const code = isRenamed ? edit.value : valueInSlot(slot)
    if (isAmongValues(slot) && code !== undefined) {
      const own = new Set([edit.entry, ...(isRenamed ? alsoRenamed(edits, valueInSlot(slot), code) : [])])
      return words.flatMap((word) => valueElsewhere(word, String(code), own, kb))
    }
    return slot.kind === 'aliases' ? words.flatMap((word) => valueContainedIn(word, edit.entry, kb)) : []
  })
}

function wordsOf(words: SlotValue | undefined): string[] {
  return [words].flat().filter((word) => typeof word === 'string')
}

/** Returns metrics in which the same code is renamed in the same way. */
function alsoRenamed(edits: readonly SlotEdit[], from: string | undefined, to: SlotValue): string[] {
  return edits.flatMap(({ entry, slot, action, value }) =>
    action === 'rename' && valueInSlot(slot) === from && value === to ? [entry] : [],
  )
}

function valueElsewhere(word: string, code: string, own: ReadonlySet<string>, kb: KnowledgeBase): string[] {
  const others = kb.metrics.filter((metric) => !own.has(metric.id))
  const metric = others.find((other) =>
    valuesOf(other).some(([known, words]) => known !== code && words.some((each) => same(each, word))),
  )
  return metric === undefined ? [] : [`"${word}" is another value than ${code} in ${metric.path}`]
}

function valueContainedIn(alias: string, entry: string, kb: KnowledgeBase): string[] {
  const padded = ` ${alias.toLowerCase()} `
  for (const metric of kb.metrics.filter((other) => other.id !== entry)) {
    for (const [, words] of valuesOf(metric)) {
      // Codes of one or two letters are words of many languages: an alias may contain them, but not be one.
      const held = words.find(
        (word) => same(word, alias) || (word.length > 2 && padded.includes(` ${word.toLowerCase()} `)),
      )
      if (held !== undefined)
        return [`alias "${alias}" contains "${held}", which is a value in ${metric.path}`]
    }
  }
  return []
}

/** Returns values of enums and choices, each with the words for it. */
function valuesOf(metric: Metric): (readonly [string, readonly string[]])[] {
  return [...metric.parameters.values()].flatMap((parameter) => {
    if (parameter.type === 'enum')
      return [...parameter.values].map(([code, aliases]) => [code, [code, ...aliases]] as const)
    if (parameter.type === 'choice')
      return [...parameter.values].map(([name, { aliases }]) => [name, aliases] as const)
    return []
  })
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
