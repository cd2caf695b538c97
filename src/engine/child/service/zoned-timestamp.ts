const zoned =
  /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|UTC|[+-]\d\d:?\d\d|[A-Za-z]+(?:\/[\w+-]+)*)$/

/**
 * Returns an instant that is written with an offset or the name of a zone as one in UTC, `YYYY-MM-DD HH:MM:SS[.f]+00`,
 * with all its digits; undefined for a text that is none.
 */
export function instantInUtc(text: string): string | undefined {
  const [, date = '', time = '', zone = ''] = zoned.exec(text) ?? []
  if (zone === '') return undefined
  const fraction = /\.\d+$/.exec(time)?.[0] ?? ''
  const local = Date.parse(`${date}T${time.slice(0, 8)}Z`)
  const offset = offsetMinutes(zone, local)
  if (offset === undefined || Number.isNaN(local)) return undefined
  const utc = new Date(local - offset * 60_000).toISOString()
  return `${utc.slice(0, 10)} ${utc.slice(11, 19)}${fraction}+00`
}

function offsetMinutes(zone: string, local: number): number | undefined {
  if (zone === 'Z' || zone === 'UTC') return 0
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  if (sign !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  // The offset of the zone at about this time, then at the instant that it gives.
  const first = zoneOffset(zone, local)
  return first === undefined ? undefined : zoneOffset(zone, local - first * 60_000)
}

function zoneOffset(zone: string, instant: number): number | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    if (name === 'GMT') return 0
    const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)$/.exec(name) ?? []
    return sign === undefined ? undefined : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  } catch {
    return undefined
  }
}
