/** A value in YAML, as plain data. */
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
  /** Id of the entry that it changes, where several stand in the file. */
  readonly entry?: string | undefined
  readonly search: string
  readonly replace: string
}

/**
 * Changes one place of a YAML file and keeps every other byte: comments, order, layout.
 * `set` replaces or adds the value at `at`; `append` adds an item to the list at `at`; `remove` drops what is there;
 * `rename` gives the key at the end of `at` the name `value`, in its place and quotes, and keeps what is behind it.
 * `expected` is the old value at `at` (undefined: nothing was there); another one is an edit conflict.
 */
export interface YamlEdit {
  readonly kind: 'edit_metric'
  readonly path: string
  readonly entry: string
  readonly action: 'set' | 'append' | 'remove' | 'rename'
  readonly at: readonly (string | number)[]
  readonly expected?: YamlValue | undefined
  readonly value?: YamlValue | undefined
  /** Of an item or key that is added; absent: behind the last, written as the others are. */
  readonly placed?: PlacedItem | undefined
}

/** Where an item of a list or a key of a map goes, and how. */
export interface PlacedItem {
  /** How many are ahead of it. */
  readonly index: number
  /** Lines of comments below the one ahead that are about the item, and stay above it. */
  readonly comments: number
  /** Its text as its author wrote it: of a block the whole lines, except the last line end. */
  readonly source?: string | undefined
}

/** A new file; one that exists already, and is not blank, is an edit conflict. */
export interface CreateEdit {
  readonly kind: 'create_snippet' | 'create_metric'
  readonly path: string
  readonly text: string
}

export type Edit = TextEdit | YamlEdit | CreateEdit
