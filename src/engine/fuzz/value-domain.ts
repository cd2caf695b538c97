import type { Habit } from '../contract/habit.js'
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
 * Returns the habit of values: 0 and 1 for no and yes, no negative number, timestamps at midnight, days that represent their
 * month or week.
 */
export function inferHabit(held: readonly string[]): Habit | undefined {
  const few = new Set<string>()
  for (const text of held) if (few.size < 3) few.add(text)
  const [one, other] = few
  if (few.size === 2 && one !== undefined && other !== undefined && isBooleanPair(few))
    return { kind: 'flag', values: [one, other] }
  const period = inferPeriodHabit(held)
  if (period !== undefined) return period
  return held.length > 0 && held.every((text) => /^\d/u.test(text)) ? { kind: 'not negative' } : undefined
}

/** Returns a test of whether a value fits a habit. */
export function fitsHabit(habit: Habit | undefined): (text: string) => boolean {
  if (habit === undefined) return () => true
  if (habit.kind === 'flag') return (text) => habit.values.includes(text)
  if (habit.kind === 'not negative') return (text) => !text.startsWith('-')
  return (text) => {
    const from = periodStart(text)
    return from !== undefined && periodFits(habit, from)
  }
}

/** Says what a habit is: "only 0 and 1". */
export function describeHabit(habit: Habit): string {
  switch (habit.kind) {
    case 'flag':
      return `only ${habit.values.join(' and ')}`
    case 'not negative':
      return 'no negative number'
    case 'midnight':
      return 'all at midnight'
    case 'first of month':
      return 'all the first of a month'
    case 'end of month':
      return 'all the last of a month'
    case 'weekday':
      return 'all on one weekday'
  }
}

/** Returns the pair of a yes/no column to which a single value may belong, in the case of that value. */
export function flagPairOf(text: string): readonly [string, string] | undefined {
  const pair = flags.find((each) => each.includes(text.toLowerCase()))
  if (pair === undefined) return undefined
  return text === text.toUpperCase() ? [pair[0].toUpperCase(), pair[1].toUpperCase()] : pair
}

function isBooleanPair(texts: ReadonlySet<string>): boolean {
  const lower = new Set([...texts].map((text) => text.toLowerCase()))
  return flags.some(([no, yes]) => lower.has(no) && lower.has(yes))
}

type PeriodHabit = Exclude<Habit, { kind: 'flag' | 'not negative' }>

/** Returns the narrowest habit of days or timestamps that all values have, if there are enough of them. */
function inferPeriodHabit(held: readonly string[]): PeriodHabit | undefined {
  const first = periodStart(held[0] ?? '')
  if (first === undefined) return undefined
  const habits: readonly (readonly [PeriodHabit, number])[] = [
    [{ kind: 'first of month' }, fewestMonths],
    [{ kind: 'end of month' }, fewestMonths],
    [{ kind: 'weekday', day: weekday(first) }, fewestWeeks],
    [{ kind: 'midnight' }, fewestMonths],
  ]
  let left = habits
  const days = new Set<number>()
  for (const text of held) {
    const ms = periodStart(text)
    if (ms === undefined) return undefined
    left = left.filter(([habit]) => periodFits(habit, ms))
    if (left.length === 0) return undefined
    if (days.size < fewestWeeks) days.add(ms)
  }
  return left.find(([, fewest]) => days.size >= fewest)?.[0]
}

function periodFits(habit: PeriodHabit, ms: number): boolean {
  switch (habit.kind) {
    case 'first of month':
      return isFirstOfMonth(ms)
    case 'end of month':
      return isMidnight(ms) && isFirstOfMonth(ms + dayMs)
    case 'weekday':
      return isMidnight(ms) && weekday(ms) === habit.day
    case 'midnight':
      return isMidnight(ms)
  }
}

/** Returns the beginning of a day or timestamp; undefined for anything else, including months. */
function periodStart(text: string): number | undefined {
  const period = parsePeriod(text.replace(/(:\d\d)\.0+$/u, '$1'))
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
