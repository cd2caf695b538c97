import { createHash } from 'node:crypto'

/**
 * Returns a short SHA-256, in hex, of everything in a case that determines its verdict, and of `extra`
 * (engine, policy, agent …). The order of keys does not matter.
 */
export function caseFingerprint(
  identity: Readonly<Record<string, unknown>>,
  extra: Readonly<Record<string, unknown>>,
): string {
  const text = JSON.stringify(sorted({ ...identity, extra }))
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  )
}
