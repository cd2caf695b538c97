import { parsePeriod } from './date-text.js'

/** Pairs of values of a yes/no column, lower case. */
const flags: readonly (readonly [string, string])[] = [
  ['0', '1'],
  ['n', 'y'],
  ['no', 'yes'],
  ['f', 't'],
  ['false', 'true'],
]
const dayMs = 86_400_000
/** Among this many different days, all being the first of a month, or a Monday, is hardly chance. */
const fewestMonths = 3
const fewestWeeks = 6

/**
 * Returns a test of whether a value fits a column, by what all its values have in common besides their type:
 * 0 and 1 for no and yes, no negative number, timestamps at midnight, days that represent their month or
 * week. Queries may rely on these as on a type: `paid = 1` and `paid <> 0` are equivalent.
 */
export function inferValueDomain(held: readonly string[]): (text: string) => boolean {
  const few = new Set<string>()
  for (const text of held) if (few.size < 3) few.add(text)
  if (few.size === 2 && isBooleanPair(few)) return (text) => few.has(text)
  const period = inferPeriodDomain(held)
  if (period !== undefined) {
    return (text) => {
      const from = periodStart(text)
      return from !== undefined && period(from)
    }
  }
  const isAmount = held.length > 0 && held.every((text) => /^\d/u.test(text))
  return isAmount ? (text) => !text.startsWith('-') : () => true
}

function isBooleanPair(texts: ReadonlySet<string>): boolean {
  const lower = new Set([...texts].map((text) => text.toLowerCase()))
  return flags.some(([no, yes]) => lower.has(no) && lower.has(yes))
}

type PeriodPredicate = (ms: number) => boolean

/**
 * Returns the narrowest of these predicates that all values satisfy, if they are days or timestamps and
 * enough of them.
 */
function inferPeriodDomain(held: readonly string[]): PeriodPredicate | undefined {
  const first = periodStart(held[0] ?? '')
  if (first === undefined) return undefined
  const habits: readonly (readonly [PeriodPredicate, number])[] = [
    [(ms) => isFirstOfMonth(ms), fewestMonths],
    [(ms) => isMidnight(ms) && isFirstOfMonth(ms + dayMs), fewestMonths],
    [(ms) => isMidnight(ms) && weekday(ms) === weekday(first), fewestWeeks],
    [isMidnight, fewestMonths],
  ]
  let left = habits
  const days = new Set<number>()
  for (const text of held) {
    const ms = periodStart(text)
    if (ms === undefined) return undefined
    left = left.filter(([habit]) => habit(ms))
    if (left.length === 0) return undefined
    if (days.size < fewestWeeks) days.add(ms)
  }
  return left.find(([, fewest]) => days.size >= fewest)?.[0]
}

/** Returns the beginning of a day or timestamp; undefined for anything else, including months. */
function periodStart(text: string): number | undefined {
  const period = parsePeriod(text.replace(/(:\d\d)\.\d+$/u, '$1'))
  return period?.format.includes('DD') === true ? period.from : undefined
}

function isMidnight(ms: number): boolean {
  return ms % dayMs === 0
}

function isFirstOfMonth(ms: number): boolean {
  return isMidnight(ms) && new Date(ms).getUTCDate() === 1
}

function weekday(ms: number): number {
  return new Date(ms).getUTCDay()
}
