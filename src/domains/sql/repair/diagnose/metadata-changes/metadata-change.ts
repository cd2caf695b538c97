import type { Metric, Parameter } from '../../../../../kb/entry.js'
import type { Slot, SlotEdit } from '../../../../../kb/entry-slots.js'

/**
 * A change of names (alias, value, value's alias, default) with which a question resolves to the right
 * metric.
 */
export interface MetadataChange {
  readonly label: 'missing_alias' | 'missing_value' | 'retrieval_miss' | 'wrong_definition'
  readonly subject: string
  readonly title: string
  readonly reasoning: string
  /**
   * The concern if the change rests on a single case, while the current knowledge already gives an answer.
   */
  readonly concern?: string | undefined
  /** The change affects metrics that no case asks for, and requires cases of several metrics. */
  readonly affectsAllMetrics?: true
  readonly edits: readonly SlotEdit[]
  /** Cases whose changes have the same key need the same entry or value, perhaps by different words. */
  readonly key: string
}

export function withKey(edits: readonly SlotEdit[]): Pick<MetadataChange, 'edits' | 'key'> {
  return { edits, key: JSON.stringify(edits) }
}

/** Adds a phrase to a list of words; creates the list if the author left it out. */
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

/** Replaces a code in front of its words, and as the default if it was that. */
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
