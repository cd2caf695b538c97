/** A YAML value as plain data. */
export type YamlValue =
  | string
  | number
  | boolean
  | null
  | readonly YamlValue[]
  | { readonly [key: string]: YamlValue }

/** Replaces `search`, which must occur exactly once in the file, by `replace`. */
export interface TextEdit {
  readonly kind: 'edit_snippet' | 'edit_note' | 'edit_tool'
  /** POSIX path relative to the project root, as in the snapshot. */
  readonly path: string
  /** Id of the changed entry, if the file contains several. */
  readonly entry?: string | undefined
  readonly search: string
  readonly replace: string
}

/**
 * Changes one value of a YAML file and keeps every other byte: comments, order, layout. `set` replaces or
 * adds the value at `at`; `append` adds an item to the list at `at`; `remove` deletes the value; `rename`
 * changes the key at the end of `at` to `value`, keeping its position, quotes and value. `expected` is the
 * old value at `at` (undefined: none); any other one is an edit conflict.
 */
export interface YamlEdit {
  readonly kind: 'edit_metric'
  readonly path: string
  readonly entry: string
  readonly action: 'set' | 'append' | 'remove' | 'rename'
  readonly at: readonly (string | number)[]
  readonly expected?: YamlValue | undefined
  readonly value?: YamlValue | undefined
  /** Position of an added item or key; absent: after the last, in the style of the others. */
  readonly placed?: PlacedItem | undefined
}

/** Position and text of an added list item or map key. */
export interface PlacedItem {
  /** Number of items before it. */
  readonly index: number
  /** Number of comment lines after the preceding item that are about the new item, and stay above it. */
  readonly comments: number
  /** Its text as its author wrote it: for a block the whole lines, except the last line end. */
  readonly source?: string | undefined
  /** Replacements, each of a text that occurs once, that make the whole edit in the wording of a former text. */
  readonly former?: readonly Pick<TextEdit, 'search' | 'replace'>[] | undefined
}

/** Creates a file; if it exists already, and is not blank, that is an edit conflict. */
export interface CreateEdit {
  readonly kind: 'create_snippet' | 'create_metric'
  readonly path: string
  readonly text: string
}

export type Edit = TextEdit | YamlEdit | CreateEdit
