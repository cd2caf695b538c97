const dayMs = 86_400_000

/**
 * Returns the next or the previous value: a day for a day, a month for a month, else one in the last digit;
 * undefined for other texts.
 */
export function stepValue(text: string, by: 1 | -1): string | undefined {
  if (/^\d{4}-\d{2}-\d{2}$/u.test(text)) {
    const time = Date.parse(`${text}T00:00:00Z`)
    return Number.isNaN(time) ? undefined : new Date(time + by * dayMs).toISOString().slice(0, 10)
  }
  const month = /^(\d{4})-(\d{2})$/u.exec(text)
  if (month !== null) {
    return new Date(Date.UTC(Number(month[1]), Number(month[2]) - 1 + by)).toISOString().slice(0, 7)
  }
  const moment = /^(\d{4}-\d{2}-\d{2})([ T])(\d{2}:\d{2}(?::\d{2})?)$/u.exec(text)
  if (moment !== null) {
    const [, day = '', between = '', clock = ''] = moment
    const unit = clock.length > 5 ? 1000 : 60_000
    const time = Date.parse(`${day}T${clock}Z`)
    if (Number.isNaN(time)) return undefined
    const next = new Date(time + by * unit).toISOString()
    return `${next.slice(0, 10)}${between}${next.slice(11, 11 + clock.length)}`
  }
  const number = /^(\d+)(?:\.(\d+))?$/u.exec(text)
  if (number === null) return undefined
  const [, whole = '', decimals = ''] = number
  const next = BigInt(whole + decimals) + BigInt(by)
  const digits = String(next < 0n ? -next : next).padStart(decimals.length + 1, '0')
  const cut = digits.length - decimals.length
  const plain = decimals === '' ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`
  return next < 0n ? `-${plain}` : plain
}
