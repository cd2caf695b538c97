import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findPeriods } from '../../src/kb/find-periods.js'

const asOf = '2025-12-17' // a Wednesday

/** Phrase, first and last day, grain; the phrase is consumed whole. */
const periods: readonly (readonly [string, string, string, string])[] = [
  // Months
  ['November 2025', '2025-11-01', '2025-11-30', 'month'],
  ['Nov 2025', '2025-11-01', '2025-11-30', 'month'],
  ['Nov. 2025', '2025-11-01', '2025-11-30', 'month'],
  ['NOVEMBER 2025', '2025-11-01', '2025-11-30', 'month'],
  ['in November, 2025', '2025-11-01', '2025-11-30', 'month'],
  ['for the month of November 2025', '2025-11-01', '2025-11-30', 'month'],
  ['during November of 2025', '2025-11-01', '2025-11-30', 'month'],
  ["Sept '25", '2025-09-01', '2025-09-30', 'month'],
  ['February 2024', '2024-02-01', '2024-02-29', 'month'],
  ['in May 2025', '2025-05-01', '2025-05-31', 'month'],
  ['2025-11', '2025-11-01', '2025-11-30', 'month'],
  ['in 2025/11', '2025-11-01', '2025-11-30', 'month'],
  ['11/2025', '2025-11-01', '2025-11-30', 'month'],
  ['in November last year', '2024-11-01', '2024-11-30', 'month'],
  ['the last month of 2025', '2025-12-01', '2025-12-31', 'month'],
  // Quarters, halves, years, weeks
  ['Q3 2025', '2025-07-01', '2025-09-30', 'quarter'],
  ['in q3 of 2025', '2025-07-01', '2025-09-30', 'quarter'],
  ['2025 Q3', '2025-07-01', '2025-09-30', 'quarter'],
  ['2025-Q4', '2025-10-01', '2025-12-31', 'quarter'],
  ['3Q 2025', '2025-07-01', '2025-09-30', 'quarter'],
  ["Q1'25", '2025-01-01', '2025-03-31', 'quarter'],
  ['third quarter of 2025', '2025-07-01', '2025-09-30', 'quarter'],
  ['in the 4th quarter 2025', '2025-10-01', '2025-12-31', 'quarter'],
  ['the second quarter of 2025', '2025-04-01', '2025-06-30', 'quarter'],
  ['last quarter of 2025', '2025-10-01', '2025-12-31', 'quarter'],
  ['H1 2025', '2025-01-01', '2025-06-30', 'range'],
  ['2025 H2', '2025-07-01', '2025-12-31', 'range'],
  ['first half of 2025', '2025-01-01', '2025-06-30', 'range'],
  ['in the first half of November 2025', '2025-11-01', '2025-11-15', 'range'],
  ['second half of February 2024', '2024-02-16', '2024-02-29', 'range'],
  ['2025', '2025-01-01', '2025-12-31', 'year'],
  ['in 2025', '2025-01-01', '2025-12-31', 'year'],
  ['in the year 2025', '2025-01-01', '2025-12-31', 'year'],
  ['for calendar year 2024', '2024-01-01', '2024-12-31', 'year'],
  ['week of 10 Nov 2025', '2025-11-10', '2025-11-16', 'week'],
  ['in the week of November 13, 2025', '2025-11-10', '2025-11-16', 'week'],
  ['week 46 of 2025', '2025-11-10', '2025-11-16', 'week'],
  ['2025-W01', '2024-12-30', '2025-01-05', 'week'],
  // Days
  ['on 11 Nov 2025', '2025-11-11', '2025-11-11', 'day'],
  ['11th November 2025', '2025-11-11', '2025-11-11', 'day'],
  ['on the 11th of November 2025', '2025-11-11', '2025-11-11', 'day'],
  ['November 11, 2025', '2025-11-11', '2025-11-11', 'day'],
  ['Nov 1st 2025', '2025-11-01', '2025-11-01', 'day'],
  ['2025-11-11', '2025-11-11', '2025-11-11', 'day'],
  ['2025/11/11', '2025-11-11', '2025-11-11', 'day'],
  ['11.11.2025', '2025-11-11', '2025-11-11', 'day'],
  ['13/11/2025', '2025-11-13', '2025-11-13', 'day'],
  ['11/13/2025', '2025-11-13', '2025-11-13', 'day'],
  ['11-Nov-2025', '2025-11-11', '2025-11-11', 'day'],
  ['29 Feb 2024', '2024-02-29', '2024-02-29', 'day'],
  // Ranges
  ['from 1 Nov to 15 Nov 2025', '2025-11-01', '2025-11-15', 'range'],
  ['1-15 Nov 2025', '2025-11-01', '2025-11-15', 'range'],
  ['Nov 1–15, 2025', '2025-11-01', '2025-11-15', 'range'],
  ['from the 1st to the 15th of November 2025', '2025-11-01', '2025-11-15', 'range'],
  ['between 1 and 15 November 2025', '2025-11-01', '2025-11-15', 'range'],
  ['between Oct and Dec 2025', '2025-10-01', '2025-12-31', 'range'],
  ['from October 2024 to March 2025', '2024-10-01', '2025-03-31', 'range'],
  ['from October 2025 through December', '2025-10-01', '2025-12-31', 'range'],
  ['Oct–Dec 2025', '2025-10-01', '2025-12-31', 'range'],
  ['Oct-Dec 2025', '2025-10-01', '2025-12-31', 'range'],
  ['Q1 to Q3 2025', '2025-01-01', '2025-09-30', 'range'],
  ['from Q4 2024 until Q1 2025', '2024-10-01', '2025-03-31', 'range'],
  ['2024-2025', '2024-01-01', '2025-12-31', 'range'],
  ['between 2025-11-01 and 2025-11-15', '2025-11-01', '2025-11-15', 'range'],
  ['from 2025-11-01 to 2025-11-15', '2025-11-01', '2025-11-15', 'range'],
  ['2025-11-01..2025-11-15', '2025-11-01', '2025-11-15', 'range'],
  ['from 28 Dec 2024 to 3 Jan 2025', '2024-12-28', '2025-01-03', 'range'],
  ['from 1 Nov 2025 to yesterday', '2025-11-01', '2025-12-16', 'range'],
  ['since 1 Nov 2025', '2025-11-01', '2025-12-17', 'range'],
  ['since October 2025', '2025-10-01', '2025-12-17', 'range'],
  ['from 1 Nov 2025 onwards', '2025-11-01', '2025-12-17', 'range'],
  ['first 10 days of November 2025', '2025-11-01', '2025-11-10', 'range'],
  ['the last 7 days of November 2025', '2025-11-24', '2025-11-30', 'range'],
  // Relative to the last day of data
  ['today', '2025-12-17', '2025-12-17', 'relative'],
  ['yesterday', '2025-12-16', '2025-12-16', 'relative'],
  ['last 7 days', '2025-12-11', '2025-12-17', 'relative'],
  ['in the last 7 days', '2025-12-11', '2025-12-17', 'relative'],
  ['over the past 30 days', '2025-11-18', '2025-12-17', 'relative'],
  ['last seven days', '2025-12-11', '2025-12-17', 'relative'],
  ['last week', '2025-12-08', '2025-12-14', 'relative'],
  ['this week', '2025-12-15', '2025-12-21', 'relative'],
  ['last 2 weeks', '2025-12-01', '2025-12-14', 'relative'],
  ['last month', '2025-11-01', '2025-11-30', 'relative'],
  ['the previous month', '2025-11-01', '2025-11-30', 'relative'],
  ['this month', '2025-12-01', '2025-12-31', 'relative'],
  ['last 3 months', '2025-09-01', '2025-11-30', 'relative'],
  ['last quarter', '2025-07-01', '2025-09-30', 'relative'],
  ['this quarter', '2025-10-01', '2025-12-31', 'relative'],
  ['last year', '2024-01-01', '2024-12-31', 'relative'],
  ['this year', '2025-01-01', '2025-12-31', 'relative'],
  ['year to date', '2025-01-01', '2025-12-17', 'relative'],
  ['YTD', '2025-01-01', '2025-12-17', 'relative'],
  ['month-to-date', '2025-12-01', '2025-12-17', 'relative'],
  ['QTD', '2025-10-01', '2025-12-17', 'relative'],
]

const notPeriods: readonly string[] = [
  'November',
  'in Nov',
  '11 November',
  'Q3',
  'first half',
  'may',
  'you may march second sat',
  'in march',
  'on Monday',
  '31 Nov 2025',
  '29 February 2025',
  '32 Nov 2025',
  'Q5 2025',
  'fifth quarter of 2025',
  'Q0 2025',
  'H3 2025',
  '2025-13',
  '2025-11-31',
  '2025-02-30',
  '13/13/2025',
  '10/11/2025',
  '05.06.2025',
  'week 54 of 2025',
  'week 0 of 2025',
  'from Dec 2025 to Oct 2025',
  'from 15 to 1 Nov 2025',
  'between Dec and Oct 2025',
  'from October 2024 to March',
  'since 1 Jan 2026',
  'last 0 days',
  'past month',
  'before November 2025',
  'after 1 Nov 2025',
  'until 15 Nov 2025',
  'by 2025',
  'fiscal year 2025',
  'FY2025',
  'FY 2025',
  'first week of November 2025',
  'last 40 days of November 2025',
  'SKU2025',
  '2,025 orders',
  '$2025',
  '2025%',
  '1999.5',
  '20251',
  '12025',
  'top 5',
  'version 2025.11.1.3',
]

describe('periods in questions', () => {
  it.each(periods)('%s is %s to %s, a %s', (phrase, start, end, grain) => {
    expect(findPeriods(phrase, asOf)).toEqual([
      { period: { start, end, grain }, span: { start: 0, end: phrase.length, text: phrase } },
    ])
  })

  it.each(notPeriods)('"%s" is no period', (phrase) => {
    expect(findPeriods(phrase, asOf)).toEqual([])
  })

  it('are found inside a question, with their preposition', () => {
    const [found, ...others] = findPeriods('ID market DAU in November 2025, please?', asOf)
    expect(found?.span).toEqual({ start: 14, end: 30, text: 'in November 2025' })
    expect(others).toEqual([])
  })

  it('are all found, left to right', () => {
    const texts = findPeriods('GMV in Oct 2025 compared with Nov 2025 and last week', asOf).map(
      ({ span }) => span.text,
    )
    expect(texts).toEqual(['in Oct 2025', 'Nov 2025', 'last week'])
  })

  it('leave what narrows them outside, so that it shows as not covered', () => {
    expect(findPeriods('DAU in mid-November 2025', asOf)[0]?.span.text).toBe('November 2025')
    expect(findPeriods('from 1 Nov 2025 on mobile', asOf)[0]?.span.text).toBe('from 1 Nov 2025')
  })

  it('refuse an as_of that is no date', () => {
    expect(() => findPeriods('today', '17.12.2025')).toThrow(/as_of/)
  })

  it('do not depend on the time zone of the machine', () => {
    const before = process.env['TZ']
    try {
      for (const zone of ['Pacific/Kiritimati', 'America/Los_Angeles', 'Asia/Jakarta']) {
        process.env['TZ'] = zone
        expect(findPeriods('in March 2025', asOf)[0]?.period).toMatchObject({
          start: '2025-03-01',
          end: '2025-03-31',
        })
        expect(findPeriods('last 7 days', asOf)[0]?.period).toMatchObject({
          start: '2025-12-11',
          end: '2025-12-17',
        })
      }
    } finally {
      if (before === undefined) delete process.env['TZ']
      else process.env['TZ'] = before
    }
  })

  it('read every existing day back, and no other', () => {
    const part = (max: number) => fc.integer({ min: 1, max })
    fc.assert(
      fc.property(fc.integer({ min: 1950, max: 2090 }), part(12), part(31), (year, month, day) => {
        const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
        const exists = new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)
        const found = findPeriods(`on ${text}`, asOf)
        expect(found.map(({ period }) => [period.start, period.end])).toEqual(exists ? [[text, text]] : [])
      }),
    )
  })

  it('never start after they end, and their spans lie in the question in order', () => {
    const words = [
      'from',
      'to',
      'between',
      'and',
      'Nov',
      'Oct',
      '2025',
      '2024',
      '1',
      '15',
      'Q3',
      'last',
      '7',
      'days',
      '-',
    ]
    const question = fc.array(fc.constantFrom(...words), { maxLength: 10 }).map((list) => list.join(' '))
    fc.assert(
      fc.property(question, (text) => {
        let from = 0
        for (const { period, span } of findPeriods(text, asOf)) {
          expect(period.start <= period.end).toBe(true)
          expect(span.start).toBeGreaterThanOrEqual(from)
          expect(text.slice(span.start, span.end)).toBe(span.text)
          from = span.end
        }
      }),
    )
  })
})
