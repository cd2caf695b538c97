import { describe, expect, it } from 'vitest'
import type { ResultFinding, RowComparison } from '../../../src/compare/model/sql-score.js'
import { decideVerdict } from '../../../src/compare/verdict/verdict.js'
import type { Policy } from '../../../src/enums/verdict-policy.js'
import type { StructuralComparison } from '../../../src/sql/index.js'

const rows: RowComparison = {
  match: true,
  expectedRows: 1,
  actualRows: 1,
  columns: ['a'],
  differing: 0,
  differences: [],
}

const structures = {
  equal: { kind: 'equal' },
  equal_if: { kind: 'equal_if', assumptions: ['no ties'], differences: [] },
  different: { kind: 'different', differences: [] },
  unparsable: { kind: 'unparsable', side: 'generated', message: 'x' },
  none: undefined,
} satisfies Record<string, StructuralComparison | undefined>

const results = {
  match: { kind: 'match', comparison: rows, empty: false },
  empty: { kind: 'match', comparison: rows, empty: true },
  mismatch: { kind: 'mismatch', comparison: { ...rows, match: false, differing: 1 } },
  'match on copies too': {
    kind: 'match',
    comparison: rows,
    empty: false,
    copies: { kind: 'match', copies: 5, informative: 4 },
  },
  'empty here, match on copies': {
    kind: 'match',
    comparison: rows,
    empty: true,
    copies: { kind: 'match', copies: 5, informative: 4 },
  },
  'match on few copies': {
    kind: 'match',
    comparison: rows,
    empty: false,
    copies: { kind: 'weak', copies: 5, informative: 1 },
  },
  'match without copies': {
    kind: 'match',
    comparison: rows,
    empty: false,
    copies: { kind: 'unavailable', reason: 'x' },
  },
  'mismatch on a copy': {
    kind: 'mismatch',
    comparison: { ...rows, match: false, differing: 1 },
    copy: { index: 2, seed: 1, title: 'ties' },
  },
  'cut both': { kind: 'cut', side: 'both', message: 'x' },
  'cut expected': { kind: 'cut', side: 'expected', message: 'x' },
  'cut generated': { kind: 'cut', side: 'generated', message: 'x' },
  'undecided inside': { kind: 'cut', side: 'expected', message: 'x', inside: true },
  'generated failed': { kind: 'generated_failed', how: 'failed', message: 'x' },
  'generated refused': { kind: 'generated_failed', how: 'refused', message: 'x' },
  'generated killed': { kind: 'generated_failed', how: 'killed', message: 'x' },
  'expected failed': { kind: 'expected_failed', how: 'failed', message: 'x' },
  'expected refused': { kind: 'expected_failed', how: 'refused', message: 'x' },
  'expected killed': { kind: 'expected_failed', how: 'killed', message: 'x' },
  skipped: { kind: 'skipped', reason: 'x' },
} satisfies Record<string, ResultFinding>

type Row = readonly [structure: keyof typeof structures, result: keyof typeof results, verdict: string]

/** `pass structure`, `error suspect_oracle`, `error nondeterministic again` (both run once more), `fail` … */
function verdictOf(structure: keyof typeof structures, result: keyof typeof results, policy: Policy): string {
  const { verdict, by, errorCause, rerun } = decideVerdict(structures[structure], results[result], policy)
  return [verdict, by, errorCause, rerun === true ? 'again' : undefined]
    .filter((part) => part !== undefined)
    .join(' ')
}

const notEqual = ['equal_if', 'different', 'unparsable', 'none'] as const
const all = ['equal', ...notEqual] as const
const everyNotEqual = (result: keyof typeof results, verdict: string): Row[] =>
  notEqual.map((structure) => [structure, result, verdict])
const every = (result: keyof typeof results, verdict: string): Row[] =>
  all.map((structure) => [structure, result, verdict])

describe('policy evidence', () => {
  it.each<Row>([
    ['equal', 'match', 'pass structure'],
    ['equal', 'empty', 'pass structure'],
    ['equal', 'mismatch', 'error nondeterministic again'],
    ['equal', 'generated killed', 'error nondeterministic again'],
    ['equal', 'generated failed', 'fail'],
    ['equal', 'generated refused', 'fail'],
    ['equal', 'cut both', 'unproven'],
    ['equal', 'cut generated', 'error nondeterministic again'],
    ['equal', 'cut expected', 'error suspect_oracle'],
    ['equal', 'skipped', 'pass structure'],
    ...everyNotEqual('match', 'unproven'),
    ...everyNotEqual('empty', 'unproven'),
    ...everyNotEqual('match on copies too', 'pass results'),
    ...everyNotEqual('empty here, match on copies', 'unproven'),
    ...everyNotEqual('match on few copies', 'unproven'),
    ...everyNotEqual('match without copies', 'unproven'),
    ['different', 'mismatch on a copy', 'fail'],
    ['unparsable', 'mismatch on a copy', 'fail'],
    ['none', 'mismatch on a copy', 'fail'],
    ['equal_if', 'mismatch on a copy', 'unproven'],
    ...everyNotEqual('mismatch', 'fail'),
    ...everyNotEqual('generated failed', 'fail'),
    ...everyNotEqual('generated refused', 'fail'),
    ...everyNotEqual('generated killed', 'fail'),
    ...everyNotEqual('cut generated', 'fail'),
    ...everyNotEqual('cut expected', 'error suspect_oracle'),
    ...everyNotEqual('cut both', 'error suspect_oracle'),
    ...every('undecided inside', 'unproven'),
    ...everyNotEqual('skipped', 'unproven'),
    ...every('expected failed', 'error suspect_oracle'),
    ...every('expected refused', 'error suspect_oracle'),
    ...every('expected killed', 'error suspect_oracle'),
  ])('structure %s, results %s: %s', (structure, result, verdict) => {
    expect(verdictOf(structure, result, 'evidence')).toBe(verdict)
  })
})

describe('policy both', () => {
  it.each<Row>([
    ['equal', 'match', 'pass structure'],
    ['equal', 'skipped', 'unproven'],
    ['equal', 'mismatch', 'error nondeterministic again'],
    ['different', 'match', 'fail'],
    ['different', 'empty', 'fail'],
    ['different', 'skipped', 'unproven'],
    ['equal_if', 'match', 'unproven'],
    ['unparsable', 'match', 'unproven'],
    ['equal_if', 'mismatch', 'fail'],
    ...every('expected failed', 'error suspect_oracle'),
  ])('structure %s, results %s: %s', (structure, result, verdict) => {
    expect(verdictOf(structure, result, 'both')).toBe(verdict)
  })
})

describe('policy results', () => {
  it.each<Row>([
    ['equal', 'match', 'pass structure'],
    ['equal', 'mismatch', 'error nondeterministic again'],
    ['equal', 'skipped', 'pass structure'],
    ['different', 'skipped', 'unproven'],
    ...everyNotEqual('match', 'pass results'),
    ...everyNotEqual('empty', 'pass results'),
    ...everyNotEqual('mismatch', 'fail'),
    ...everyNotEqual('generated failed', 'fail'),
    ...everyNotEqual('cut both', 'error suspect_oracle'),
    ...every('expected killed', 'error suspect_oracle'),
  ])('structure %s, results %s: %s', (structure, result, verdict) => {
    expect(verdictOf(structure, result, 'results')).toBe(verdict)
  })
})

describe('policy structure, which runs nothing', () => {
  it.each<Row>([
    ['equal', 'skipped', 'pass structure'],
    ['different', 'skipped', 'fail'],
    ['equal_if', 'skipped', 'unproven'],
    ['unparsable', 'skipped', 'unproven'],
  ])('structure %s, results %s: %s', (structure, result, verdict) => {
    expect(verdictOf(structure, result, 'structure')).toBe(verdict)
  })
})
