/** The kinds of values that a column can hold, as a bit set. */
export type Kinds = number

export const integers: Kinds = 1
const fractions: Kinds = 2
export const numbers: Kinds = integers | fractions
export const texts: Kinds = 4
/** Dates without a time of the day. */
export const dates: Kinds = 8
/** Timestamps. */
export const timestamps: Kinds = 16
const others: Kinds = 32
/** True and false; 1 and 0 where a database has no type for them. */
export const booleans: Kinds = 64
export const anyKind: Kinds = numbers | texts | dates | timestamps | others | booleans

/** Whether only values of the wanted kinds are possible; not where the evidence contradicts itself. */
export function isOnly(kinds: Kinds, wanted: Kinds): boolean {
  return kinds !== 0 && (kinds & ~wanted) === 0
}

/** Returns the kinds that a declared type holds; all of them where the name is not known. */
export function kindsOfType(type: string): Kinds {
  if (/^(?:date)$/u.test(type)) return dates
  if (/^(?:timestamp|datetime)/u.test(type)) return timestamps
  if (/^(?:big|small|tiny|medium)?int(?:eger)?\b|^int\d|^(?:big|small)?serial/u.test(type)) return integers
  if (/^(?:real|float|double|numeric|decimal)/u.test(type)) return fractions
  if (/char|text|string/u.test(type)) return texts
  return anyKind
}
