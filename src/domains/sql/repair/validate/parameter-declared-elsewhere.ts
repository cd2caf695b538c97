import { isDeepStrictEqual } from 'node:util'
import type { KnowledgeBase, Parameter } from '../../../../kb/entry.js'
import { parameterValue, type SlotEdit } from '../../../../kb/entry-slots.js'

/**
 * Reports whether an edit adds a complete parameter exactly as another metric declares it: none of its words
 * are new.
 */
export function isDeclaredElsewhere(
  { entry, slot, action, expected, value }: SlotEdit,
  { metrics }: KnowledgeBase,
): boolean {
  if (slot.kind !== 'parameter' || action !== 'set' || expected !== undefined) return false
  return metrics.some(({ id, parameters }) => {
    const parameter = id === entry ? undefined : parameters.get(slot.parameter)
    return parameter !== undefined && isDeepStrictEqual(parameterValue(withoutDefault(parameter)), value)
  })
}

function withoutDefault(parameter: Parameter): Parameter {
  return parameter.type === 'date_range' ? parameter : { ...parameter, default: undefined }
}
