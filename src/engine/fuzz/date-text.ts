/** A day, month or timestamp represented as a text or a whole number. */
export interface Period {
  /** Its first millisecond, and the first one after it. */
  readonly from: number
  readonly to: number
  /** Its format, as in `YYYY-MM-DD hh:mm`. */
  readonly format: string
}

const patterns: readonly RegExp[] = [
  /^(\d{4})-(\d\d)(?:-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?)?$/u,
  // Without dashes, most years would be plain numbers.
  /^((?:19|20)\d\d)(\d\d)(\d\d)?$/u,
]
const dashed = 'YYYY-MM-DD hh:mm:ss'
const compact = 'YYYYMMDD'
const fields = ['YYYY', 'MM', 'DD', 'hh', 'mm', 'ss']

/** Parses a text as a day, month or timestamp; undefined if none such exists. */
export function parsePeriod(text: string): Period | undefined {
  const match = patterns.map((pattern) => pattern.exec(text)).find((found) => found !== null)
  if (!match) return undefined
  const parts = match.slice(1).filter((part) => part !== undefined)
  const numbers = parts.map((part, at) => Number(part) - (at === 1 ? 1 : 0))
  const [year = 0, month = 0, day = 1, hour = 0, minute = 0, second = 0] = numbers
  const from = Date.UTC(year, month, day, hour, minute, second)
  const last = numbers.length - 1
  const [nextYear = 0, nextMonth = 0, ...next] = numbers.map((part, at) => part + (at === last ? 1 : 0))
  const to = Date.UTC(nextYear, nextMonth, ...(next.length > 0 ? next : [1]))
  const form =
    text[4] === '-'
      ? dashed.slice(0, text.length).replace(' ', text[10] ?? '')
      : compact.slice(0, text.length)
  return formatMoment(from, form) === text ? { from, to, format: form } : undefined
}

/** Formats a timestamp; what the format cannot represent is truncated. */
export function formatMoment(ms: number, form: string): string {
  const iso = new Date(ms).toISOString()
  const digits = [iso.slice(0, 4), iso.slice(5, 7), iso.slice(8, 10), iso.slice(11, 13), iso.slice(14, 16)]
  return [...digits, iso.slice(17, 19)].reduce(
    (written, value, at) => written.replace(fields[at] ?? '', value),
    form,
  )
}

/** Returns the same day and time of another year. */
export function addYears(ms: number, years: number): number {
  const date = new Date(ms)
  return date.setUTCFullYear(date.getUTCFullYear() + years)
}
