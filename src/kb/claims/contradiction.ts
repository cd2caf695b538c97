import type { Remark } from './documentation-remarks.js'

/** A statement in the knowledge base that contradicts a query. */
export interface Contradiction {
  /** Where it is reported, in UTF-16 code units from the start of the file. */
  readonly path: string
  readonly offset: number
  /** The statement and what the query does instead; it contains no position in the file itself. */
  readonly message: string
}

/** Creates a contradiction that is reported at the remark. */
export function contradictionAt(remark: Remark, index: number, message: string): Contradiction {
  return { path: remark.path, offset: remark.start + index, message }
}

/** Reports whether the words before a claim negate it: `never`, `not`, `no longer`, `instead of`. */
export function isNegated(text: string, index: number): boolean {
  return /\b(?:not|never|no longer|instead of|rather than|without|except|unless|un?like)\b[^.;:]{0,24}$/i.test(
    text.slice(0, index),
  )
}
