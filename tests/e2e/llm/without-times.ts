/** A report without what differs from one run to the next of the same. */
export function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes)
  if (typeof value !== 'object' || value === null) return value
  const times = new Set(['ms', 'queries', 'startedAt', 'finishedAt', 'id', 'root'])
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (times.has(name) ? [] : [[name, withoutTimes(part)]])),
  )
}
