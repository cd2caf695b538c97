import type { YamlEdit } from '../../../../../edit/edit.js'
import type { Metric, Parameter } from '../../../../../kb/entry.js'

/** A change of names (alias, value, value's alias, default) after which a question would mean the right metric. */
export interface MetadataChange {
  readonly label: 'missing_alias' | 'missing_value' | 'retrieval_miss' | 'wrong_definition'
  readonly subject: string
  readonly title: string
  readonly reasoning: string
  /** What speaks against it where one case alone asks for it, and what is there today gives an answer. */
  readonly concern?: string | undefined
  /** It changes metrics that no case asks for, and takes cases of several metrics to be made. */
  readonly affectsAllMetrics?: true
  readonly edits: readonly YamlEdit[]
  /** Cases whose changes have one key want the same entry or value, each perhaps by another word. */
  readonly key: string
}

export function withKey(edits: readonly YamlEdit[]): Pick<MetadataChange, 'edits' | 'key'> {
  return { edits, key: JSON.stringify(edits) }
}

/** Adds a phrase to a list of words; a list that the author left out is made. */
export function appendToList(
  metric: Metric,
  at: readonly string[],
  phrase: string,
  present: readonly string[],
): YamlEdit {
  const target = { kind: 'edit_metric', path: metric.path, entry: metric.id, at } as const
  return present.length > 0
    ? { ...target, action: 'append', expected: present, value: phrase }
    : { ...target, action: 'set', expected: undefined, value: [phrase] }
}

/** Another code in front of the words of one, and as the default where that was it. */
export function renameEnumValue(
  metric: Metric,
  name: string,
  { values, default: usual }: Extract<Parameter, { type: 'enum' }>,
  from: string,
  to: string,
): YamlEdit[] {
  const target = { kind: 'edit_metric', path: metric.path, entry: metric.id } as const
  const expected = [...(values.get(from) ?? [])]
  const at = ['parameters', name]
  return [
    { ...target, action: 'rename', at: [...at, 'values', from], expected, value: to },
    ...(usual === from
      ? [{ ...target, action: 'set', at: [...at, 'default'], expected: from, value: to } as const]
      : []),
  ]
}
