import type { Period } from '../question-interpretation.js'
import { calendarDay, type Interval, unitAt } from './calendar.js'
import { countPattern, readCount, readRelative, readUnit, unitPattern } from './relative-periods.js'
import {
  dayOfMonth,
  monthNumber,
  monthPattern,
  type Point,
  readPoints,
  readYear,
  resolvePoint,
  yearPattern,
} from './time-points.js'

/** An expression for a period; `interval` is undefined if it is impossible, ambiguous or without a year. */
export interface PeriodReading {
  readonly end: number
  readonly grain: Period['grain']
  readonly interval: Interval | undefined
}

const to = '(?:\\s*[-–—]\\s*|\\s+(?:to|until|till|through|thru|up\\s+to)\\s+|\\s*\\.\\.\\s*)'
const and = `(?:${to}|\\s+and\\s+)`
const rangeOpening = /(?:from\s+|(?<between>between\s+))?(?:the\s+)?/iuy
const separator = new RegExp(`${to}(?:the\\s+)?`, 'iuy')
const betweenSeparator = new RegExp(`${and}(?:the\\s+)?`, 'iuy')
const daysOfMonth = [
  `(?:from\\s+)?(?:the\\s+)?(?<from>${dayOfMonth})${to}(?:the\\s+)?(?<to>${dayOfMonth})(?:\\s+of)?\\s+${monthPattern}(?:${yearPattern})?`,
  `between\\s+(?:the\\s+)?(?<from>${dayOfMonth})${and}(?:the\\s+)?(?<to>${dayOfMonth})(?:\\s+of)?\\s+${monthPattern}(?:${yearPattern})?`,
  `(?:from\\s+)?${monthPattern}\\s+(?<from>${dayOfMonth})${to}(?<to>${dayOfMonth})(?:${yearPattern})?`,
].map((source) => new RegExp(source, 'iuy'))
const partOf = new RegExp(
  `(?:the\\s+)?(?<side>first|last)\\s+(?:${countPattern}\\s+)?${unitPattern}s?\\s+(?:of|in)\\s+(?:the\\s+)?`,
  'iuy',
)
const weekOf = /week\s+of\s+(?:the\s+)?/iuy
const since = /(?<since>since\s+(?:the\s+)?)|from\s+(?:the\s+)?/iuy
const onwards = /\s+(?:to\s+date|onwards?|until\s+now|up\s+to\s+now)/iuy
// An open end, or a year that is not a calendar year, must not be read as the period it names.
const unsupported =
  /(?:(?:before|after|until|till|by|except|excluding)\s+(?:the\s+)?|(?:fiscal|financial)\s+(?:year\s+)?|fy\s*)/iuy

/** Returns all period expressions that start at `at`, without the preposition before them. */
export function readPeriods(text: string, at: number, asOf: Date): PeriodReading[] {
  return [
    ...readRelative(text, at, asOf),
    ...readPoints(text, at, asOf).map(({ end, point }) => ({
      end,
      grain: point?.grain ?? 'day',
      interval: point && resolvePoint(point),
    })),
    ...readRanges(text, at, asOf),
    ...daysOfMonth.flatMap((pattern) => readDaysOfMonth(pattern, text, at, asOf)),
    ...readPartOf(text, at, asOf),
    ...readWeekOf(text, at, asOf),
    ...readSince(text, at, asOf),
    ...readUnsupported(text, at, asOf),
  ]
}

interface EndReading {
  readonly end: number
  readonly point: Point | undefined
}

/** Reads points and relative expressions, both of which may end a range ("from 1 Nov 2025 to yesterday"). */
function readEnds(text: string, at: number, asOf: Date): EndReading[] {
  const relative = readRelative(text, at, asOf).map(({ end, grain, interval }) => ({
    end,
    point: { grain, year: interval?.end.getFullYear(), inYear: () => interval },
  }))
  return [...readPoints(text, at, asOf), ...relative]
}

function readRanges(text: string, at: number, asOf: Date): PeriodReading[] {
  const opening = matchAt(rangeOpening, text, at)
  const between = opening?.groups?.['between'] !== undefined
  const start = at + (opening?.[0].length ?? 0)
  return readEnds(text, start, asOf).flatMap((first) => {
    const middle = matchAt(between ? betweenSeparator : separator, text, first.end)
    if (middle === undefined) return []
    return readEnds(text, first.end + middle[0].length, asOf).map((second) => ({
      end: second.end,
      grain: 'range' as const,
      interval: first.point && second.point && spanning(first.point, second.point),
    }))
  })
}

/** Returns the days from the first of one to the last of the other; each may take its year from the other. */
function spanning(first: Point, second: Point): Interval | undefined {
  const start = resolvePoint(first, second.year)?.start
  const end = resolvePoint(second, first.year)?.end
  return ordered(start, end)
}

function readDaysOfMonth(pattern: RegExp, text: string, at: number, asOf: Date): PeriodReading[] {
  const match = matchAt(pattern, text, at)
  if (match === undefined) return []
  const groups = match.groups ?? {}
  const year = readYear(groups, asOf)
  const month = monthNumber(groups['month'] ?? '')
  const date = (day: string | undefined) =>
    year === undefined ? undefined : calendarDay(year, month, Number.parseInt(day ?? '', 10))
  return [
    {
      end: at + match[0].length,
      grain: 'range',
      interval: ordered(date(groups['from']), date(groups['to'])),
    },
  ]
}

/** Reads "last quarter of 2025", "first 10 days of November 2025"; weeks do not divide months and years. */
function readPartOf(text: string, at: number, asOf: Date): PeriodReading[] {
  const match = matchAt(partOf, text, at)
  if (match === undefined) return []
  const groups = match.groups ?? {}
  const [count, unit] = [readCount(groups['count']), readUnit(groups)]
  return readEnds(text, at + match[0].length, asOf).map(({ end, point }) => {
    const whole = point && resolvePoint(point)
    if (whole === undefined || unit === 'week' || count < 1)
      return { end, grain: 'range', interval: undefined }
    const interval =
      groups['side']?.toLowerCase() === 'first'
        ? { start: whole.start, end: unitAt(whole.start, unit, count - 1).end }
        : { start: unitAt(whole.end, unit, 1 - count).start, end: whole.end }
    const inside = interval.start >= whole.start && interval.end <= whole.end
    return { end, grain: count === 1 ? unit : 'range', interval: inside ? interval : undefined }
  })
}

function readWeekOf(text: string, at: number, asOf: Date): PeriodReading[] {
  const match = matchAt(weekOf, text, at)
  if (match === undefined) return []
  return readPoints(text, at + match[0].length, asOf).map(({ end, point }) => {
    const day = point?.grain === 'day' ? resolvePoint(point) : undefined
    return { end, grain: 'week', interval: day && unitAt(day.start, 'week') }
  })
}

function readSince(text: string, at: number, asOf: Date): PeriodReading[] {
  const match = matchAt(since, text, at)
  if (match === undefined) return []
  return readEnds(text, at + match[0].length, asOf).flatMap((first) => {
    const ending = matchAt(onwards, text, first.end)
    if (match.groups?.['since'] === undefined && ending === undefined) return []
    const start = first.point && resolvePoint(first.point)?.start
    return [{ end: first.end + (ending?.[0].length ?? 0), grain: 'range', interval: ordered(start, asOf) }]
  })
}

function readUnsupported(text: string, at: number, asOf: Date): PeriodReading[] {
  const match = matchAt(unsupported, text, at)
  if (match === undefined) return []
  const after = at + match[0].length
  return readEnds(text, after, asOf).map(({ end }) => ({ end, grain: 'range', interval: undefined }))
}

function ordered(start: Date | undefined, end: Date | undefined): Interval | undefined {
  return start && end && start <= end ? { start, end } : undefined
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}
