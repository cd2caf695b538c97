import type { Remark } from './remarks.js'

/** Where a text of the knowledge base and a query cannot both be right. */
export interface Contradiction {
  /** Where it is shown, in UTF-16 code units from the start of the file. */
  readonly path: string
  readonly offset: number
  /** What is said and what is done, in words; no place in it lies in the file itself. */
  readonly message: string
}

/** Shown where the remark stands. */
export function contradictionAt(remark: Remark, index: number, message: string): Contradiction {
  return { path: remark.path, offset: remark.start + index, message }
}

/** Whether the words before a claim turn it around: `never`, `not`, `no longer`, `instead of`. */
export function isNegated(text: string, index: number): boolean {
  return /\b(?:not|never|no longer|instead of|rather than|without|except|unless|un?like)\b[^.;:]{0,24}$/i.test(
    text.slice(0, index),
  )
}
