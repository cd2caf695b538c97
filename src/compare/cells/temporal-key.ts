const moment =
  /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|([+-]\d{2})(?::?(\d{2}))?)?)?$/

/** Reports, cheaply, whether the text may represent a day or timestamp. */
export function mayBeTemporal(text: string): boolean {
  return text.length >= 10 && text.length <= 40 && text[4] === '-' && text[7] === '-'
}

/**
 * Returns one text for a DATE, its ISO text and its midnight timestamp, and for a timestamp, its ISO text and
 * the same instant in any zone; undefined for other texts.
 */
export function temporalKey(text: string): string | undefined {
  const match = mayBeTemporal(text) ? moment.exec(text) : null
  if (match === null) return undefined
  const [, day = '', time = '00:00', seconds = '00', fraction = '', hours = '+00', minutes = '00'] = match
  const written = Date.parse(`${day}T${time}:${seconds}Z`)
  if (Number.isNaN(written)) return undefined
  const offset = (Number(hours) * 60 + (hours.startsWith('-') ? -1 : 1) * Number(minutes)) * 60_000
  const [date, clock] = offset === 0 ? [day, `${time}:${seconds}`] : partsOf(written - offset)
  const digits = fraction.replace(/0+$/, '')
  const exact = digits === '' ? clock : `${clock}.${digits}`
  return exact === '00:00:00' ? `d${date}` : `d${date} ${exact}`
}

function partsOf(milliseconds: number): readonly [string, string] {
  const text = new Date(milliseconds).toISOString()
  return [text.slice(0, -14), text.slice(-13, -5)]
}

const intervalPart = /([+-]?\d+) (year|mon|month|day)s?\b ?|([+-]?)(\d+):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?$/y
const daysIn = { year: 360n, mon: 30n, month: 30n, day: 1n } as const

/**
 * Returns one text for intervals that PostgreSQL and DuckDB call equal: a day is 24 hours, and a month 30 days, as in
 * `interval '24 hours' = interval '1 day'`. Undefined for other texts.
 */
function intervalKey(text: string): string | undefined {
  if (text.length > 80 || !/^[+-]?\d/.test(text)) return undefined
  let micros = 0n
  intervalPart.lastIndex = 0
  while (intervalPart.lastIndex < text.length) {
    const part = intervalPart.exec(text)
    if (part === null) return undefined
    const [, count, unit, sign, hours = '0', minutes = '0', seconds = '0', fraction = ''] = part
    if (count !== undefined) micros += BigInt(count) * daysIn[unit as keyof typeof daysIn] * 86_400_000_000n
    else {
      const clock = (BigInt(hours) * 60n + BigInt(minutes)) * 60n + BigInt(seconds)
      micros += (sign === '-' ? -1n : 1n) * (clock * 1_000_000n + BigInt(fraction.padEnd(6, '0')))
    }
  }
  return `i${micros}`
}

/** Returns one text for a day or timestamp, or an interval, however it is written; undefined for other texts. */
export function spanOrMomentKey(text: string): string | undefined {
  return temporalKey(text) ?? intervalKey(text)
}
