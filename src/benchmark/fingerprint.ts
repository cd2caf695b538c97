import { createHash } from 'node:crypto'
import type { SqlCase } from './case.js'

/**
 * Short SHA-256, in hex, over all of a case that decides its verdict, and over `extra` (engine, policy, agent …).
 * Where a case stands in its file, its tags and the order of keys do not count.
 */
export function caseFingerprint(testCase: SqlCase, extra: Readonly<Record<string, unknown>>): string {
  const { kind, id, question, expectedSql, engine, dialect, asOf, compare } = testCase
  const text = JSON.stringify(
    sorted({ kind, id, question, expectedSql, engine, dialect, asOf, compare, extra }),
  )
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
