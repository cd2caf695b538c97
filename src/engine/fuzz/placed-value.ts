/** A value to stand in a column of a copy. */
export interface PlacedValue {
  /** Plain lower-case names; a table of the default schema without it. May be a view. */
  readonly table: string
  readonly column: string
  readonly kind: 'text' | 'number'
  readonly text: string
  /** What values next to it, or around it, are of interest too. */
  readonly role?: 'bound' | 'part' | 'prefix'
}
