import { describe, expect, it } from 'vitest'
import {
  periodPhrase,
  similarPeriods,
} from '../../../../../../src/domains/sql/repair/verify/twins/similar-periods.js'
import { dayAfter, daysIn } from '../../../../../../src/kb/period/calendar.js'

describe('periodsLike', () => {
  it('gives whole months for a month, whatever their length', () => {
    const like = similarPeriods({ grain: 'month', start: '2025-03-01', end: '2025-03-31' })
    expect(like.map((period) => [period.start, period.end])).toEqual([
      ['2025-02-01', '2025-02-28'],
      ['2025-01-01', '2025-01-31'],
      ['2025-04-01', '2025-04-30'],
      ['2025-05-01', '2025-05-31'],
      ['2025-01-01', '2025-03-31'],
    ])
  })

  it('gives whole quarters and years for those', () => {
    expect(similarPeriods({ grain: 'quarter', start: '2025-01-01', end: '2025-03-31' })[0]).toEqual({
      grain: 'quarter',
      start: '2024-10-01',
      end: '2024-12-31',
    })
    expect(similarPeriods({ grain: 'year', start: '2024-01-01', end: '2024-12-31' })[0]).toEqual({
      grain: 'year',
      start: '2023-01-01',
      end: '2023-12-31',
    })
  })

  it('gives the quarters of a year, the months of a quarter and the longer period around it last', () => {
    const starts = (grain: 'year' | 'quarter' | 'month', start: string, end: string): string[] =>
      similarPeriods({ grain, start, end })
        .slice(4)
        .map((part) => `${periodPhrase(part)}: ${part.start} to ${part.end}`)
    expect(starts('year', '2024-01-01', '2024-12-31')).toEqual([
      'Q1 2024: 2024-01-01 to 2024-03-31',
      'Q2 2024: 2024-04-01 to 2024-06-30',
      'Q3 2024: 2024-07-01 to 2024-09-30',
      'Q4 2024: 2024-10-01 to 2024-12-31',
    ])
    expect(starts('quarter', '2025-01-01', '2025-03-31')).toEqual([
      'January 2025: 2025-01-01 to 2025-01-31',
      'February 2025: 2025-02-01 to 2025-02-28',
      'March 2025: 2025-03-01 to 2025-03-31',
      '2025: 2025-01-01 to 2025-12-31',
    ])
    expect(starts('month', '2025-01-01', '2025-01-31')).toEqual(['Q1 2025: 2025-01-01 to 2025-03-31'])
  })

  it('moves a range by its own length, so that it never overlaps the original', () => {
    const [before] = similarPeriods({ grain: 'range', start: '2025-11-01', end: '2025-11-15' })
    expect(before).toEqual({ grain: 'range', start: '2025-10-17', end: '2025-10-31' })
  })
})

it('names periods as a question would', () => {
  expect(periodPhrase({ grain: 'month', start: '2025-11-01', end: '2025-11-30' })).toBe('November 2025')
  expect(periodPhrase({ grain: 'quarter', start: '2025-07-01', end: '2025-09-30' })).toBe('Q3 2025')
  expect(periodPhrase({ grain: 'day', start: '2025-11-10', end: '2025-11-10' })).toBe('2025-11-10')
  expect(periodPhrase({ grain: 'relative', start: '2025-12-25', end: '2025-12-31' })).toBe(
    'from 2025-12-25 to 2025-12-31',
  )
})

it('counts days over the end of February', () => {
  expect(daysIn({ start: '2024-02-28', end: '2024-03-01' })).toBe(3)
  expect(dayAfter('2024-02-28')).toBe('2024-02-29')
})
