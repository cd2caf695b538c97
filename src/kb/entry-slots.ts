import type { Parameter } from './entry.js'

/** The content of a slot as plain data: a text, a number, words, words by value. */
export type SlotValue =
  | string
  | number
  | boolean
  | null
  | readonly SlotValue[]
  | { readonly [key: string]: SlotValue }

/**
 * A part of an entry that an edit may change. For a list, `item` is the index of one of its words; absent:
 * the whole list.
 */
export type Slot =
  /** SQL with placeholders. */
  | { readonly kind: 'query' }
  /** Text of a note. */
  | { readonly kind: 'prose' }
  | { readonly kind: 'title' }
  /** Words in a question that refer to a metric. */
  | { readonly kind: 'aliases'; readonly item?: number | undefined }
  /** The name of the query that a metric uses. */
  | { readonly kind: 'query_name' }
  /** A parameter with its whole declaration. */
  | { readonly kind: 'parameter'; readonly parameter: string }
  | { readonly kind: 'default'; readonly parameter: string }
  /** Words that precede a number. */
  | { readonly kind: 'number_words'; readonly parameter: string; readonly item?: number | undefined }
  /** All values of an enum or a choice. */
  | { readonly kind: 'values'; readonly parameter: string; readonly item?: number | undefined }
  /** One value: the words of an enum's value, or expression and words of a choice's. */
  | {
      readonly kind: 'value'
      readonly parameter: string
      readonly value: string
      readonly item?: number | undefined
    }
  | {
      readonly kind: 'choice_aliases'
      readonly parameter: string
      readonly value: string
      readonly item?: number | undefined
    }
  /** SQL of a choice's value. */
  | { readonly kind: 'expression'; readonly parameter: string; readonly value: string }
  /** A part that only its format defines. */
  | { readonly kind: 'other'; readonly at: readonly (string | number)[] }

/**
 * Changes one slot of an entry. `set` adds or replaces the content, `append` adds a word to a list, `remove`
 * deletes the content, `rename` gives a value the code `value` and keeps its words. `expected` is the present
 * content; undefined: none.
 */
export interface SlotEdit {
  /** Id of the entry. */
  readonly entry: string
  /** The entry's file, as in the snapshot. */
  readonly path: string
  readonly slot: Slot
  readonly action: 'set' | 'append' | 'remove' | 'rename'
  readonly expected?: SlotValue | undefined
  readonly value?: SlotValue | undefined
}

/** A slot with its text, and the position of that in its file: UTF-16 offsets, end exclusive. */
export interface LocatedSlot {
  readonly slot: Slot
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Returns the parameter that a slot belongs to. */
export function parameterOf(slot: Slot): string | undefined {
  return 'parameter' in slot ? slot.parameter : undefined
}

/** Returns the value of a parameter that a slot belongs to. */
export function valueInSlot(slot: Slot): string | undefined {
  if ('value' in slot) return slot.value
  return slot.kind === 'values' && slot.item !== undefined ? String(slot.item) : undefined
}

/** Reports whether the slot is within the values of a parameter. */
export function isAmongValues(slot: Slot): boolean {
  return ['values', 'value', 'choice_aliases', 'expression'].includes(slot.kind)
}

/** Returns the slot content that declares a parameter. */
export function parameterValue(parameter: Parameter): SlotValue {
  switch (parameter.type) {
    case 'enum':
      return { type: 'enum', values: Object.fromEntries(parameter.values) }
    case 'number': {
      const whole = { type: 'number', words: parameter.words }
      return parameter.integer ? whole : { ...whole, integer: false }
    }
    case 'choice':
      return {
        type: 'choice',
        values: Object.fromEntries([...parameter.values].map(([key, value]) => [key, { ...value }])),
      }
    case 'date_range':
      return { type: 'date_range' }
  }
}
