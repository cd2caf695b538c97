import { describe, expect, it } from 'vitest'
import { diagnose } from '../../../src/domains/sql/repair/diagnose/diagnose.js'
import type {
  RepairPlan,
  SqlEvaluation,
  SqlTypes,
} from '../../../src/domains/sql/repair/model/sql-repair-types.js'
import { applyPlan } from '../../../src/domains/sql/repair/model/sql-repair-types.js'
import type { Edit } from '../../../src/edit/edit-types.js'
import type { RepairCandidate } from '../../../src/repair/model/candidate.js'
import { verify } from '../../../src/repair/verify/verify-plan.js'
import {
  contextOf,
  evaluatorOf,
  loopInputOf,
  warehouseForTests,
} from '../../domains/sql/repair/repair-in-memory.js'
import {
  caseOf,
  revenueId,
  revenueSql,
  revenueTh,
  shop,
  shopWith,
  taxId,
} from '../../domains/sql/repair/shop.js'
import { snapshotOf } from '../../kb/knowledge-files.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'

/** Verifies a hand-made replacement in the revenue snippet, as any proposer might make it. */
async function verifyReplacement(
  files: Readonly<Record<string, string>>,
  search: string,
  replace: string,
  cases = [revenueId],
  others = [revenueTh, taxId],
  more: readonly Edit[] = [],
  isUnscorable: (id: string) => boolean = () => false,
) {
  const snapshot = snapshotOf(files)
  const context = contextOf(warehouse)
  const evaluator = evaluatorOf(warehouse)
  const current = new Map<string, SqlEvaluation>()
  for (const testCase of [...cases, ...others])
    current.set(testCase.id, await evaluator.evaluate(testCase, snapshot))
  const diagnoses = cases.flatMap((testCase) => {
    const evaluation = current.get(testCase.id)
    return evaluation === undefined ? [] : [diagnose(evaluation, snapshot, context)]
  })
  const edits: Edit[] = [{ kind: 'edit_snippet', path: revenue, search, replace }, ...more]
  const plan: RepairPlan = {
    label: 'wrong_definition',
    subject: 'metric revenue',
    title: 'hand-made',
    reasoning: '',
    edits,
    cases,
    goldExposed: true,
    size: 1,
    signature: '',
  }
  const input = loopInputOf(warehouse, snapshot, [...cases, ...others], {
    evaluator: {
      ...evaluator,
      evaluate: async (...asked: Parameters<typeof evaluator.evaluate>) => {
        const found = await evaluator.evaluate(...asked)
        return isUnscorable(asked[0].id)
          ? { ...found, score: { ...found.score, verdict: 'unproven' as const } }
          : found
      },
    },
  })
  const repair: RepairCandidate<SqlTypes> = {
    key: 'definition:revenue',
    clusterKeys: ['definition:revenue'],
    diagnoses,
    plans: [plan],
    abstained: undefined,
    contradicting: [],
  }
  const candidate = applyPlan(plan, snapshot)
  if (candidate === undefined) throw new Error('the edits do not fit')
  return verify(plan, repair, current, snapshot, candidate, () => ({ plans: [plan] }), input)
}

const noStatus = shopWith({ [revenue]: ["  AND status = 'paid'\n", ''] })

describe('verify', () => {
  it('stops at a target that still fails: no twin is asked', async () => {
    const { evidence, after } = await verifyReplacement(noStatus, 'sum(amount)', 'sum(tax)')
    expect(evidence).toMatchObject({ target: { passed: 0, of: 1 }, twins: { of: 0 } })
    expect(after.size).toBe(0)
  })

  it('reports why the engine refuses the query of a target', async () => {
    const { engineError } = await verifyReplacement(noStatus, 'sum(amount)', 'sum(no_column)')
    expect(engineError).toMatch(/no_column/)
  })

  it('fails twins of a repair that gives the example by other means than its market', async () => {
    const broken = shopWith({ [revenue]: ["  AND status = 'paid'\n", ''] })
    const { evidence, after } = await verifyReplacement(
      broken,
      'WHERE market = {{ market }}\n',
      `WHERE status = 'paid' AND market = (SELECT min(market) FROM sales WHERE market > 'B') AND {{ market }} = {{ market }}\n`,
      [{ ...revenueId, compare: { policy: 'results' } }],
    )
    expect(evidence.target).toEqual({ passed: 1, of: 1 })
    expect(evidence.twins.passed).toBeLessThan(evidence.twins.of)
    expect(after.size).toBe(0)
  })

  it('fails twins of a repair that gives the example by other means than its period', async () => {
    const { evidence } = await verifyReplacement(
      noStatus,
      'AND day BETWEEN {{ period.start }} AND {{ period.end }}',
      `AND status = 'paid' AND substr(day, 6, 2) = '11' AND day > '2025' AND day <= {{ period.end }}`,
      [{ ...revenueId, compare: { policy: 'results' } }],
    )
    expect(evidence.target).toEqual({ passed: 1, of: 1 })
    expect(evidence.twins.passed).toBeLessThan(evidence.twins.of)
  })

  it('asks about a value that the repair itself takes out of the knowledge', async () => {
    const { evidence, unanswered } = await verifyReplacement(
      noStatus,
      '  AND is_test = 0\n',
      `  AND is_test = 0\n  AND status = 'paid'\n`,
      [revenueId],
      [],
      [
        {
          kind: 'edit_metric',
          path: 'kb/metrics/revenue.yaml',
          entry: 'metric:revenue',
          action: 'remove',
          at: ['parameters', 'market', 'values', 'TH'],
          expected: ['Thailand'],
        },
      ],
    )
    expect(evidence.target).toEqual({ passed: 1, of: 1 })
    expect(evidence.twins.passed).toBeLessThan(evidence.twins.of)
    expect(unanswered).toContain('market')
  })

  it('replaces a twin whose answer cannot be scored', async () => {
    const proven = (isUnscorable: (id: string) => boolean) =>
      verifyReplacement(noStatus, 'WHERE', "WHERE status = 'paid' AND", [revenueId], [], [], isUnscorable)
    const all = await proven(() => false)
    expect(all).toMatchObject({ evidence: { twins: { passed: 4, of: 4 } }, unvaried: [], unanswered: [] })
    expect(await proven((id) => /~period[12]$/.test(id))).toMatchObject({
      evidence: { twins: { passed: 4, of: 4 } },
      unvaried: [],
    })
    expect(await proven((id) => id.includes('~period'))).toMatchObject({
      evidence: { twins: { passed: 2, of: 2 } },
      unvaried: ['period'],
    })
  })

  it('names a parameter that no twin could vary', async () => {
    const list = revenueSql('ID', '2025-11-01', '2025-11-30').replace("market = 'ID'", "market LIKE 'I%'")
    const { evidence, unvaried } = await verifyReplacement(
      noStatus,
      'WHERE market = {{ market }}\n',
      `WHERE status = 'paid' AND market LIKE substr({{ market }}, 1, 1) || '%'\n`,
      [{ ...revenueId, expectedSql: list, compare: { policy: 'results' } }],
      [],
    )
    expect(evidence).toMatchObject({ target: { passed: 1 }, twins: { passed: 2, of: 2 } })
    expect(unvaried).toEqual(['market'])
  })

  it('names the passing cases that a repair breaks, after everything else held', async () => {
    const outlier = caseOf(
      'odd',
      revenueId.question,
      revenueSql('ID', '2025-11-01', '2025-11-30', ' AND units > 2'),
    )
    const { evidence } = await verifyReplacement(shop, 'is_test = 0', 'is_test = 0\n  AND units > 2', [
      outlier,
    ])
    expect(evidence).toMatchObject({
      target: { passed: 1, of: 1 },
      affected: { passed: 0, of: 1 },
      benchmark: { before: 2, after: 2, of: 3 },
      broken: ['revenue_th'],
    })
  })
})
