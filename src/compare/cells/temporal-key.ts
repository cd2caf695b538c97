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
