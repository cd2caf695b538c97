import type { Period } from '../question-interpretation.js'
import { calendarDay, type Interval, unitAt } from './calendar.js'

/**
 * A calendar period named by one expression. Without a year it is incomplete, but may take the year from the
 * other end of a range ("from 1 Nov to 15 Nov 2025").
 */
export interface Point {
  readonly grain: Period['grain']
  readonly year: number | undefined
  /** Returns its days in a year; undefined if the calendar has none. */
  readonly inYear: (year: number) => Interval | undefined
}

/**
 * An expression read at a position of the question; `point` is undefined if it is impossible (31 Nov, Q5).
 */
export interface PointReading {
  readonly end: number
  readonly point: Point | undefined
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const month =
  '(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?'
export const dayOfMonth = '\\d{1,2}(?:st|nd|rd|th)?'
const day = `(?<day>${dayOfMonth})`
const ordinal = '(?<ordinal>first|second|third|fourth|1st|2nd|3rd|4th)'
const year = "(?<year>(?:19|20)\\d\\d|['’]\\d\\d|(?:last|previous|this|current)\\s+year)"
/**
 * Matches the text between a point and its year: "Nov 2025", "Nov, 2025", "Nov of 2025", "Nov in the year
 * 2025".
 */
const beforeYear = '(?:\\s*,\\s*|\\s+)(?:(?:of|in)\\s+)?(?:the\\s+year\\s+)?'
const someYear = `${beforeYear}${year}`
const maybeYear = `(?:${someYear})?`
const shortYear = `(?:${someYear}|[-/]${year.replace('<year>', '<year2>')}|(?<year3>['’]\\d\\d))`

const monthAndYear = `${month}${maybeYear}`
export const monthPattern = month
export const yearPattern = someYear

type Groups = Readonly<Record<string, string | undefined>>

interface Form {
  readonly pattern: RegExp
  readonly read: (groups: Groups, asOf: Date) => Point | undefined
}

const forms: readonly Form[] = [
  form(`${day}(?:\\s+of)?[\\s-]+${month}(?:${someYear}|-(?<year2>(?:19|20)\\d\\d))?`, readDay),
  form(`${month}\\s+(?:the\\s+)?${day}${maybeYear}`, readDay),
  form('(?<year>\\d{4})(?<mark>[-/.])(?<month>\\d{1,2})\\k<mark>(?<day>\\d{1,2})', readDay),
  form('(?<first>\\d{1,2})(?<mark>[-/.])(?<second>\\d{1,2})\\k<mark>(?<year>\\d{4})', readNumericDay),
  form(monthAndYear, readMonth),
  form('(?<year>\\d{4})[-/](?<month>\\d{1,2})', readMonth),
  form('(?<month>\\d{1,2})/(?<year>\\d{4})', readMonth),
  form(`q(?<quarter>\\d)(?:${shortYear})?`, readQuarter),
  form(`(?<quarter>\\d)q(?:${shortYear})?`, readQuarter),
  form('(?<year>(?:19|20)\\d\\d)[\\s/-]?q(?<quarter>\\d)', readQuarter),
  form(`(?:${ordinal}|(?<nth>\\d(?:st|nd|rd|th)))\\s+quarter${maybeYear}`, readQuarter),
  form(`quarter\\s+(?<quarter>\\d)${maybeYear}`, readQuarter),
  form(`h(?<half>\\d)(?:${shortYear})?`, readHalf),
  form(`(?<half>\\d)h(?:${shortYear})?`, readHalf),
  form('(?<year>(?:19|20)\\d\\d)[\\s/-]?h(?<half>\\d)', readHalf),
  form(`${ordinal}\\s+half\\s+of\\s+${month}${maybeYear}`, readHalf),
  form(`${ordinal}\\s+half${maybeYear}`, readHalf),
  form(`(?:calendar\\s+)?(?:week\\s+|c?w)(?<week>\\d{1,2})${maybeYear}`, readWeek),
  form('(?<year>(?:19|20)\\d\\d)-?w(?<week>\\d{1,2})', readWeek),
  form('(?<year>(?:19|20)\\d\\d)', (groups, asOf) => point('year', readYear(groups, asOf), wholeYear)),
]

/** Returns all point expressions that start at `at`; the caller checks that they end at the end of a word. */
export function readPoints(text: string, at: number, asOf: Date): PointReading[] {
  return forms.flatMap(({ pattern, read }) => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    return match ? [{ end: pattern.lastIndex, point: read(match.groups ?? {}, asOf) }] : []
  })
}

/** Returns the days of a point; one without a year takes `borrowedYear`. */
export function resolvePoint(point: Point, borrowedYear?: number): Interval | undefined {
  const year = point.year ?? borrowedYear
  return year === undefined ? undefined : point.inYear(year)
}

export function monthNumber(name: string): number {
  return /^\d/.test(name) ? Number(name) : monthNames.indexOf(name.slice(0, 3).toLowerCase()) + 1
}

/** Reads the year of a match: four digits, '25, "last year". */
export function readYear(groups: Groups, asOf: Date): number | undefined {
  const text = groups['year'] ?? groups['year2'] ?? groups['year3']
  if (text === undefined) return undefined
  if (/^\d/.test(text)) return Number(text)
  if (/^['’]/.test(text)) return 2000 + Number(text.slice(1))
  return asOf.getFullYear() - (/^(last|previous)/i.test(text) ? 1 : 0)
}

function form(source: string, read: Form['read']): Form {
  return { pattern: new RegExp(source, 'iuy'), read }
}

function point(grain: Point['grain'], year: number | undefined, inYear: Point['inYear']): Point {
  return { grain, year, inYear }
}

function readDay(groups: Groups, asOf: Date): Point {
  const month = monthNumber(groups['month'] ?? '')
  const day = Number.parseInt(groups['day'] ?? '', 10)
  return point('day', readYear(groups, asOf), (year) => single(calendarDay(year, month, day)))
}

/** Reads a numeric day. 13.11.2025 and 11/13/2025 show which part is the day; 10/11/2025 does not. */
function readNumericDay(groups: Groups): Point | undefined {
  const [first, second] = [Number(groups['first']), Number(groups['second'])]
  if (first <= 12 && second <= 12 && first !== second) return undefined
  const [day, month] = second > 12 && groups['mark'] === '/' ? [second, first] : [first, second]
  return point('day', Number(groups['year']), (year) => single(calendarDay(year, month, day)))
}

function readMonth(groups: Groups, asOf: Date): Point {
  const month = monthNumber(groups['month'] ?? '')
  return point('month', readYear(groups, asOf), (year) => monthOf(year, month))
}

function readQuarter(groups: Groups, asOf: Date): Point | undefined {
  const quarter = count(groups['ordinal']) ?? Number.parseInt(groups['quarter'] ?? groups['nth'] ?? '', 10)
  if (quarter < 1 || quarter > 4) return undefined
  return point('quarter', readYear(groups, asOf), (year) => {
    const start = calendarDay(year, 3 * quarter - 2, 1)
    return start && unitAt(start, 'quarter')
  })
}

function readHalf(groups: Groups, asOf: Date): Point | undefined {
  const half = count(groups['ordinal']) ?? Number(groups['half'])
  if (half !== 1 && half !== 2) return undefined
  const month = groups['month'] === undefined ? undefined : monthNumber(groups['month'])
  return point('range', readYear(groups, asOf), (year) => {
    const whole = month === undefined ? wholeYear(year) : monthOf(year, month)
    if (whole === undefined) return undefined
    const middle = month === undefined ? calendarDay(year, 6, 30) : calendarDay(year, month, 15)
    const second = month === undefined ? calendarDay(year, 7, 1) : calendarDay(year, month, 16)
    if (middle === undefined || second === undefined) return undefined
    return half === 1 ? { start: whole.start, end: middle } : { start: second, end: whole.end }
  })
}

/** Reads an ISO 8601 week: week 1 is the one with 4 January; a year has 52 or 53. */
function readWeek(groups: Groups, asOf: Date): Point {
  const week = Number(groups['week'])
  return point('week', readYear(groups, asOf), (year) => {
    const inWeekOne = calendarDay(year, 1, 4)
    const inLastWeek = calendarDay(year, 12, 28)
    if (inWeekOne === undefined || inLastWeek === undefined || week < 1) return undefined
    const found = unitAt(inWeekOne, 'week', week - 1)
    return found.start <= inLastWeek ? found : undefined
  })
}

function count(ordinal: string | undefined): number | undefined {
  if (ordinal === undefined) return undefined
  const named = ['first', 'second', 'third', 'fourth'].indexOf(ordinal.toLowerCase())
  return named >= 0 ? named + 1 : Number.parseInt(ordinal, 10)
}

function single(date: Date | undefined): Interval | undefined {
  return date && { start: date, end: date }
}

function monthOf(year: number, month: number): Interval | undefined {
  const start = calendarDay(year, month, 1)
  return start && unitAt(start, 'month')
}

function wholeYear(year: number): Interval | undefined {
  const start = calendarDay(year, 1, 1)
  return start && unitAt(start, 'year')
}
