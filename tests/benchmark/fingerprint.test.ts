import { expect, it } from 'vitest'
import type { SqlCase } from '../../src/benchmark/case.js'
import { caseFingerprint } from '../../src/benchmark/fingerprint.js'
import { sqlCaseRecorder } from '../../src/domains/sql/case-recorder.js'

const location = { file: 'b.yaml', line: 1, column: 1 }
const testCase: SqlCase = {
  kind: 'sql',
  id: 'a',
  question: 'Q',
  expectedSql: 'SELECT 1',
  tags: [],
  compare: { order: 'auto', tolerance: 0.1 },
  location,
  sqlLocation: location,
}

const fingerprintOf = (of: SqlCase, extra: Readonly<Record<string, unknown>>): string =>
  caseFingerprint(sqlCaseRecorder.identity(of), extra)

it('is short hex, and the same for what decides the same verdict', () => {
  const moved = {
    ...testCase,
    tags: ['x'],
    location: { ...location, line: 9 },
    compare: { tolerance: 0.1, order: 'auto' } as const,
  }
  expect(fingerprintOf(testCase, { b: 1, a: 2 })).toMatch(/^[0-9a-f]{16}$/)
  expect(fingerprintOf(moved, { a: 2, b: 1 })).toBe(fingerprintOf(testCase, { b: 1, a: 2 }))
})

it.each<[string, Partial<SqlCase>]>([
  ['question', { question: 'R' }],
  ['expected query', { expectedSql: 'SELECT 2' }],
  ['id', { id: 'b' }],
  ['engine', { engine: 'sqlite:x.db' }],
  ['dialect', { dialect: 'trino' }],
  ['date', { asOf: '2025-01-01' }],
  ['compare options', { compare: { order: 'auto', tolerance: 0.2 } }],
])('changes with the %s', (_name, change) => {
  expect(fingerprintOf({ ...testCase, ...change }, {})).not.toBe(fingerprintOf(testCase, {}))
})

it('changes with what else decides', () => {
  expect(fingerprintOf(testCase, { engine: 'a' })).not.toBe(fingerprintOf(testCase, { engine: 'b' }))
})
