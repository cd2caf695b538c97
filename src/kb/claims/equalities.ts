/** A column compared with a string. */
export interface Equality {
  /** Folded, without its table. */
  readonly column: string
  readonly value: string
  /** Offset in the text, in UTF-16 code units. */
  readonly offset: number
}

/** Matches `column = 'text'` with plain names; other forms are ignored. */
const equality = /\b((?:[a-z_]\w*\.)?[a-z_]\w*)\s*=\s*'((?:[^']|'')*)'/gi

export function findEqualities(sql: string): Equality[] {
  return [...sql.matchAll(equality)].map(({ index, 1: column = '', 2: value = '' }) => ({
    column: (column.split('.').at(-1) ?? column).toLowerCase(),
    value: value.replaceAll("''", "'"),
    offset: index,
  }))
}
