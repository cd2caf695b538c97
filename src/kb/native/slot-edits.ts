import { isCollection, parseDocument } from 'yaml'
import type { Edit, YamlEdit } from '../../edit/edit-types.js'
import { textEdits } from '../../edit/line-edits.js'
import { readText, type Snapshot } from '../../snapshot/snapshot.js'
import type { Slot, SlotEdit, SlotValue } from '../entry-slots.js'

export type YamlPath = YamlEdit['at']

/**
 * Renders slot edits: queries are rewritten line by line; all else is a value in the YAML file of its metric.
 */
export function renderSlotEdits(edits: readonly SlotEdit[]): Edit[] {
  return edits.flatMap((edit): Edit[] => {
    const { entry, path, slot, action, expected, value } = edit
    return slot.kind === 'query' || slot.kind === 'prose'
      ? textEdits(path, textOf(expected), textOf(value))
      : [{ kind: 'edit_metric', path, entry, action, at: pathOf(slot), expected, value }]
  })
}

function textOf(value: SlotValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

export function slotEditOf(edit: Edit): SlotEdit | undefined {
  if (edit.kind !== 'edit_metric') return undefined
  const { entry, path, action, at, expected, value } = edit
  return { entry, path, slot: slotAt(at), action, expected, value }
}

export function withValue(edit: Edit, value: SlotValue): Edit {
  return edit.kind === 'edit_metric' ? { ...edit, value } : edit
}

/** Splits the replacement of a word in a list: the new word may be added without removing the old one. */
export function splitReplacement(
  edit: Edit,
  snapshot: Snapshot,
): { readonly added: Edit; readonly removed: Edit } | undefined {
  if (edit.kind !== 'edit_metric' || edit.action !== 'set' || typeof edit.at.at(-1) !== 'number')
    return undefined
  if (typeof edit.expected !== 'string' || typeof edit.value !== 'string') return undefined
  const at = edit.at.slice(0, -1)
  const list: unknown = parseDocument(readText(snapshot, edit.path) ?? '').getIn(at)
  const words: unknown = isCollection(list) ? list.toJSON() : undefined
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) return undefined
  return {
    added: { ...edit, at, action: 'append', expected: words },
    removed: { ...edit, action: 'remove', value: undefined },
  }
}

function pathOf(slot: Slot): YamlPath {
  const item = 'item' in slot && slot.item !== undefined ? [slot.item] : []
  switch (slot.kind) {
    case 'title':
      return ['title']
    case 'query_name':
      return ['snippet']
    case 'aliases':
      return ['aliases', ...item]
    case 'parameter':
      return ['parameters', slot.parameter]
    case 'default':
      return ['parameters', slot.parameter, 'default']
    case 'number_words':
      return ['parameters', slot.parameter, 'words', ...item]
    case 'values':
      return ['parameters', slot.parameter, 'values', ...item]
    case 'value':
      return ['parameters', slot.parameter, 'values', slot.value, ...item]
    case 'choice_aliases':
      return ['parameters', slot.parameter, 'values', slot.value, 'aliases', ...item]
    case 'expression':
      return ['parameters', slot.parameter, 'values', slot.value, 'sql']
    case 'other':
      return slot.at
    case 'query':
    case 'prose':
      return []
  }
}

/** Returns the slot at a path in a metric's file. */
export function slotAt(at: YamlPath): Slot {
  const item = at.at(-1)
  const list = typeof item === 'number' ? slotOfList(at.slice(0, -1)) : undefined
  if (list !== undefined && typeof item === 'number') return { ...list, item }
  return slotOfList(at) ?? slotOfScalar(at) ?? { kind: 'other', at }
}

type ListSlot = Extract<Slot, { readonly item?: number | undefined }>

function slotOfList(at: YamlPath): ListSlot | undefined {
  const [first, parameter, part, value, last, ...more] = at
  if (first === 'aliases' && at.length === 1) return { kind: 'aliases' }
  if (first !== 'parameters' || typeof parameter !== 'string' || more.length > 0) return undefined
  if (part === 'words' && at.length === 3) return { kind: 'number_words', parameter }
  if (part !== 'values') return undefined
  if (at.length === 3) return { kind: 'values', parameter }
  if (typeof value !== 'string') return undefined
  if (at.length === 4) return { kind: 'value', parameter, value }
  return last === 'aliases' ? { kind: 'choice_aliases', parameter, value } : undefined
}

function slotOfScalar(at: YamlPath): Slot | undefined {
  const [first, parameter, part, value, last] = at
  if (first === 'title' && at.length === 1) return { kind: 'title' }
  if (first === 'snippet' && at.length === 1) return { kind: 'query_name' }
  if (first !== 'parameters' || typeof parameter !== 'string') return undefined
  if (at.length === 2) return { kind: 'parameter', parameter }
  if (part === 'default' && at.length === 3) return { kind: 'default', parameter }
  if (part === 'values' && typeof value === 'string' && last === 'sql' && at.length === 5)
    return { kind: 'expression', parameter, value }
  return undefined
}
