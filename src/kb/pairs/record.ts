import type { Skipped, Span } from '../entries/entry-format.js'

export interface Field {
  readonly value: string
  /** With its quotes and escapes. */
  readonly span: Span
}

/** A row, an object, a mapping: one pair or none. */
export interface PairRecord {
  readonly fields: ReadonlyMap<string, Field>
  /** What is taken out with it. */
  readonly whole: Span
  /** From 1. */
  readonly line: number
}

export interface Records {
  readonly records: readonly PairRecord[]
  readonly skipped: readonly Skipped[]
  readonly readOnly?: string | undefined
}
