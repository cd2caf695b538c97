import type { Metric, Parameter } from '../../../../../kb/entry.js'
import type { Slot, SlotEdit } from '../../../../../kb/slots.js'

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
  readonly edits: readonly SlotEdit[]
  /** Cases whose changes have one key want the same entry or value, each perhaps by another word. */
  readonly key: string
}

export function withKey(edits: readonly SlotEdit[]): Pick<MetadataChange, 'edits' | 'key'> {
  return { edits, key: JSON.stringify(edits) }
}

/** Adds a phrase to a list of words; a list that the author left out is made. */
export function appendToList(
  metric: Metric,
  slot: Slot,
  phrase: string,
  present: readonly string[],
): SlotEdit {
  const target = { path: metric.path, entry: metric.id, slot }
  return present.length > 0
    ? { ...target, action: 'append', expected: present, value: phrase }
    : { ...target, action: 'set', expected: undefined, value: [phrase] }
}

/** Another code in front of the words of one, and as the default where that was it. */
export function renameEnumValue(
  metric: Metric,
  parameter: string,
  { values, default: usual }: Extract<Parameter, { type: 'enum' }>,
  from: string,
  to: string,
): SlotEdit[] {
  const target = { path: metric.path, entry: metric.id }
  const expected = [...(values.get(from) ?? [])]
  return [
    { ...target, slot: { kind: 'value', parameter, value: from }, action: 'rename', expected, value: to },
    ...(usual === from
      ? [
          {
            ...target,
            slot: { kind: 'default', parameter },
            action: 'set',
            expected: from,
            value: to,
          } as const,
        ]
      : []),
  ]
}
