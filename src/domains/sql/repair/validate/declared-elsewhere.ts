import { isDeepStrictEqual } from 'node:util'
import type { Edit } from '../../../../edit/edit.js'
import type { KnowledgeBase, Parameter } from '../../../../kb/entry.js'
import { toYamlValue } from '../propose/rules/new-metric.js'

/** Whether an edit gives a metric a whole parameter just as another metric has it: none of its words are new. */
export function isDeclaredElsewhere(edit: Edit, { metrics }: KnowledgeBase): boolean {
  if (edit.kind !== 'edit_metric' || edit.action !== 'set' || edit.expected !== undefined) return false
  const [part, name, ...within] = edit.at
  if (part !== 'parameters' || typeof name !== 'string' || within.length > 0) return false
  return metrics.some(({ id, parameters }) => {
    const parameter = id === edit.entry ? undefined : parameters.get(name)
    return parameter !== undefined && isDeepStrictEqual(toYamlValue(withoutDefault(parameter)), edit.value)
  })
}

function withoutDefault(parameter: Parameter): Parameter {
  return parameter.type === 'date_range' ? parameter : { ...parameter, default: undefined }
}
