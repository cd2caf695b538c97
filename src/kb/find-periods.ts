import { isoDate, parseIsoDate } from './period/calendar.js'
import { type PeriodReading, readPeriods } from './period/time-ranges.js'
import type { Period, Span } from './question-interpretation.js'

export interface FoundPeriod {
  readonly period: Period
  /** Includes the preposition: "in November 2025", "for the last 7 days". */
  readonly span: Span
}

const leadingWords =
  /(?:(?:in|during|on|from|for|within|over|at|throughout|of)\s+)?(?:the\s+)?(?:(?:calendar\s+)?(?<noun>day|month|quarter|year|period)\s+(?:of\s+)?)?/iuy
const wordStart = /(?<![\p{L}\p{N}_]|\d[-/.,:]|[$€£#])[\p{L}\p{N}]/gu
const wordEnd = /(?![\p{L}\p{N}_]|[-/.,:]\d|%)/uy

/**
 * Returns the periods that a question names, left to right, longest readings first, none overlapping. `asOf`
 * (ISO date) is the last day of complete data: "last 7 days" end on it, "last month" is the calendar month
 * before its own. An expression that is impossible (31 Nov, Q5), reversed, open-ended, without a year or
 * ambiguous (10/11/2025) is no period, and neither is a part of it.
 */
export function findPeriods(question: string, asOf: string): FoundPeriod[] {
  const today = parseIsoDate(asOf)
  if (today === undefined) throw new TypeError(`as_of is not an ISO date: ${asOf}`)
  const found: FoundPeriod[] = []
  let from = 0
  for (const { index: start } of question.matchAll(wordStart)) {
    if (start < from) continue
    const reading = longestAt(question, start, today)
    if (reading === undefined) continue
    from = reading.end
    if (reading.interval === undefined) continue
    const { interval, grain, end } = reading
    const period = { start: isoDate(interval.start), end: isoDate(interval.end), grain }
    found.push({ period, span: { start, end, text: question.slice(start, end) } })
  }
  return found
}

/** Returns the longest reading; among equally long ones, one with a meaning. */
function longestAt(question: string, start: number, asOf: Date): PeriodReading | undefined {
  leadingWords.lastIndex = start
  const opening = leadingWords.exec(question)
  const noun = opening?.groups?.['noun']?.toLowerCase() ?? 'period'
  const length = opening?.[0].length ?? 0
  const led = length === 0 ? [] : readPeriods(question, start + length, asOf)
  return [...readPeriods(question, start, asOf), ...led.map((reading) => requireGrain(reading, noun))]
    .filter(({ end }) => isWordEnd(question, end))
    .reduce<PeriodReading | undefined>((best, reading) => {
      if (best === undefined || reading.end > best.end) return reading
      return reading.end === best.end && best.interval === undefined ? reading : best
    }, undefined)
}

/** Checks the unit of a reading: "month of November 2025" is valid, "quarter of 2025" is incomplete. */
function requireGrain(reading: PeriodReading, noun: string): PeriodReading {
  return noun === 'period' || noun === reading.grain ? reading : { ...reading, interval: undefined }
}

function isWordEnd(question: string, at: number): boolean {
  wordEnd.lastIndex = at
  return wordEnd.test(question)
}
