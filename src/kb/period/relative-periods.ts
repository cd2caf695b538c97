import type { Period } from '../question-interpretation.js'
import { addDays, type Interval, type Unit, unitAt } from './calendar.js'

const numberWords = [
  ...['one', 'two', 'three', 'four', 'five', 'six'],
  ...['seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
]
export const countPattern = `(?<count>\\d{1,3}|${numberWords.join('|')})`
export const unitPattern = '(?<unit>day|week|month|quarter|year)'

export interface RelativeReading {
  readonly end: number
  readonly grain: Period['grain']
  readonly interval: Interval | undefined
}

type Groups = Readonly<Record<string, string | undefined>>

const forms: readonly { pattern: RegExp; read: (groups: Groups, asOf: Date) => Interval | undefined }[] = [
  { pattern: /today/iuy, read: (_, asOf) => unitAt(asOf, 'day') },
  { pattern: /yesterday/iuy, read: (_, asOf) => unitAt(asOf, 'day', -1) },
  {
    pattern: /(?:this|current)\s+(?<unit>week|month|quarter|year)/iuy,
    read: (groups, asOf) => unitAt(asOf, readUnit(groups)),
  },
  {
    pattern: /(?:last|previous|prior)\s+(?:calendar\s+)?(?<unit>week|month|quarter|year)/iuy,
    read: (groups, asOf) => unitAt(asOf, readUnit(groups), -1),
  },
  {
    pattern: new RegExp(
      `(?:last|past|previous|prior|trailing)\\s+${countPattern}\\s+${unitPattern}s?`,
      'iuy',
    ),
    read: (groups, asOf) => lastUnits(readCount(groups['count']), readUnit(groups), asOf),
  },
  {
    pattern: /(?:this\s+)?(?<unit>week|month|quarter|year)[\s-]to[\s-]date/iuy,
    read: (groups, asOf) => ({ start: unitAt(asOf, readUnit(groups)).start, end: asOf }),
  },
  {
    pattern: /(?<initial>[wmqy])td/iuy,
    read: (groups, asOf) => ({ start: unitAt(asOf, unitOf(groups['initial'])).start, end: asOf }),
  },
]

/** Returns all expressions at `at` for days relative to `asOf`, the last day of complete data. */
export function readRelative(text: string, at: number, asOf: Date): RelativeReading[] {
  return forms.flatMap(({ pattern, read }) => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (!match) return []
    return [{ end: pattern.lastIndex, grain: 'relative', interval: read(match.groups ?? {}, asOf) }]
  })
}

export function readCount(text: string | undefined): number {
  const word = numberWords.indexOf((text ?? 'one').toLowerCase())
  return word >= 0 ? word + 1 : Number(text)
}

export function readUnit(groups: Groups): Unit {
  return unitOf(groups['unit'])
}

function unitOf(name: string | undefined): Unit {
  switch ((name ?? '').charAt(0).toLowerCase()) {
    case 'w':
      return 'week'
    case 'm':
      return 'month'
    case 'q':
      return 'quarter'
    case 'y':
      return 'year'
    default:
      return 'day'
  }
}

/**
 * Returns the last N units: N days end on `asOf`; N of a longer unit are the whole ones before the current,
 * so that one equals "last month".
 */
function lastUnits(count: number, unit: Unit, asOf: Date): Interval | undefined {
  if (count < 1) return undefined
  if (unit === 'day') return { start: addDays(asOf, 1 - count), end: asOf }
  return { start: unitAt(asOf, unit, -count).start, end: unitAt(asOf, unit, -1).end }
}
