import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import type { SlotEdit } from '../../../../../kb/entry-slots.js'
import { lineReaderOf, type RemovedLinesContext, removedLinesOf } from '../../model/removed-lines.js'
import { slotEditsIn } from '../../model/repair-context.js'
import type { RepairPlan } from '../../model/sql-repair-types.js'

/**
 * Reports new codes of an enum that rest on a single case, where other metrics have the parameter and none of
 * them the code: the code may have been renamed, and the case may be the only place that was not updated. A
 * code that the file itself once had is known, unless its words mean another code now.
 */
export function checkEnumValues(plan: RepairPlan, kb: KnowledgeBase, context: RemovedLinesContext): string[] {
  const edits = slotEditsIn(plan.edits, context)
  // A code that replaces another one has been checked already.
  const isRenamed = edits.some(({ action }) => action === 'rename')
  if (plan.cases.length > 1 || isRenamed) return []
  return edits.flatMap((edit) => {
    const added = addedEnumValue(edit)
    const metric = added && kb.metrics.find(({ id }) => id === added.entry)
    if (added === undefined || metric === undefined) return []
    const { parameter, code } = added
    const others = kb.metrics.flatMap((other) => {
      const found = other.id === metric.id ? undefined : other.parameters.get(parameter)
      return found?.type === 'enum' ? [found] : []
    })
    if (others.length === 0 || others.some(({ values }) => values.has(code))) return []
    return hadEnumValue(metric, parameter, code, context)
      ? []
      : [`only one case supports the value ${code} of ${parameter}, and no other metric has it`]
  })
}

interface AddedEnumValue {
  readonly entry: string
  readonly parameter: string
  readonly code: string
}

/** Returns the value that an edit sets where there was none, or adds to a plain list. */
function addedEnumValue({ entry, slot, action, expected, value }: SlotEdit): AddedEnumValue | undefined {
  if (action === 'remove' || action === 'rename') return undefined
  if (slot.kind === 'value' && slot.item === undefined && expected === undefined)
    return { entry, parameter: slot.parameter, code: slot.value }
  if (slot.kind !== 'values' || slot.item !== undefined || action !== 'append') return undefined
  return typeof value === 'string' ? { entry, parameter: slot.parameter, code: value } : undefined
}

function hadEnumValue(
  { path, parameters }: Metric,
  name: string,
  code: string,
  context: RemovedLinesContext,
): boolean {
  const parameter = parameters.get(name)
  const taken = new Set(parameter?.type === 'enum' ? [...parameter.values.values()].flat() : [])
  const { enumWords } = lineReaderOf(context)
  const [former] = removedLinesOf(path, context).flatMap(({ text }) => {
    const words = enumWords(code, text)
    return words === undefined ? [] : [words]
  })
  return former !== undefined && !former.some((word) => taken.has(word))
}
