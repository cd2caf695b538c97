/** Where a text starts to repeat itself until its end. */
export interface RepeatedEnd {
  /** Index at which the repetition starts. */
  readonly start: number
  /** Number of characters of the part that is repeated. */
  readonly period: number
}

/** The longest part whose repetition is looked for, in characters. */
const maxPeriod = 300
/** A part that is repeated this often has no other end: lists of values in a query are not equal in this way. */
const minRepeats = 6
/** Shorter ends occur in real answers: rules of dashes, padding. */
const minLength = 120
/** Counting loops, as `c1, c2, c3`, look like long lists of values: they have to be longer. */
const minCountingLength = 1500

/**
 * Returns the end of a text that repeats one part over and over, as models in a loop write; undefined if there is
 * none. Digits may count on in a long repetition.
 */
export function findRepeatedEnd(text: string): RepeatedEnd | undefined {
  return periodicEnd(text, minLength) ?? periodicEnd(text.replaceAll(/\d/g, '0'), minCountingLength)
}

function periodicEnd(text: string, atLeast: number): RepeatedEnd | undefined {
  for (let period = 1; period <= maxPeriod; period++) {
    const needed = Math.max(atLeast, period * minRepeats)
    if (needed > text.length) return undefined
    let start = text.length
    while (start > period && text[start - 1] === text[start - 1 - period]) start--
    const repeated = text.length - start + period
    if (repeated >= needed) return { start: text.length - repeated, period }
  }
  return undefined
}
