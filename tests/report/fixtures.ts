import { createTwoFilesPatch } from 'diff'
import type {
  AttemptRecord,
  CaseRecord,
  RunDetail,
  RunRecord,
  SampleRecord,
} from '../../src/store/record-types.js'

export const run: RunRecord = {
  id: 'r-7f3a',
  startedAt: '2026-11-20T10:11:12.000Z',
  finishedAt: '2026-11-20T10:11:14.800Z',
  status: 'finished',
  mode: 'repair',
  engine: 'duckdb:data/shop.duckdb',
  agent: 'template',
  dialect: 'duckdb',
  knowledge: '61b2f0a9999999',
  knowledgeAfter: '0c9d11e8888888',
  total: 5,
  options: { tags: [] },
  decision: 'kept',
  exitCode: 1,
}

export const passingSample: SampleRecord = {
  kind: 'answer',
  answer: 'SELECT 1',
  message: undefined,
  read: ['metric:gmv', 'snippet:gmv.sql'],
  verdict: 'pass',
  reason: 'the queries are equal',
  structure: { kind: 'equal' },
  results: undefined,
  expected: 'SELECT 1',
  ms: 2,
}

export const failingSample: SampleRecord = {
  ...passingSample,
  answer: 'SELECT period, avg(a1) AS dau FROM visits GROUP BY 1',
  read: ['metric:dau', 'snippet:dau.sql'],
  verdict: 'fail',
  reason: "filter missing: tz_type = 'local'; 1 of 1 rows differ",
  structure: {
    kind: 'different',
    differences: [{ component: 'filters', kind: 'missing', text: "filter missing: tz_type = 'local'" }],
  },
  results: {
    kind: 'mismatch',
    comparison: {
      match: false,
      expectedRows: 1,
      actualRows: 1,
      columns: ['period', 'dau'],
      differing: 1,
      differences: [
        { kind: 'changed', expected: ['2025-11', 474.97], actual: ['2025-11', 949.93], cells: [1] },
      ],
    },
  },
}

export function caseRecord(caseId: string, change: Partial<CaseRecord> = {}): CaseRecord {
  return {
    kind: 'sql',
    caseId,
    position: 0,
    question: 'TH GMV in December 2025',
    tags: ['orders', 'gmv'],
    file: 'benchmarks/orders.yaml',
    line: 12,
    fingerprint: `f-${caseId}`,
    outcome: 'passed',
    verdict: 'pass',
    baseline: 'pass',
    label: undefined,
    cause: undefined,
    retries: 0,
    repairId: undefined,
    ms: 4,
    sample: passingSample,
    ...change,
  }
}

export const failingCase = caseRecord('dau_id_monthly', {
  question: 'ID market DAU in November 2025',
  tags: ['traffic', 'dau'],
  file: 'benchmarks/traffic.yaml',
  line: 41,
  outcome: 'failed',
  verdict: 'fail',
  baseline: 'fail',
  sample: failingSample,
})

export const erroredCase = caseRecord('refund_rate_sg', {
  outcome: 'errored',
  verdict: 'error',
  baseline: 'error',
  label: 'suspect_oracle',
  line: 88,
  sample: {
    ...passingSample,
    verdict: 'error',
    reason: 'expected_sql fails: no column "refundd"',
    structure: undefined,
    results: { kind: 'expected_failed', how: 'failed', message: 'no column "refundd"' },
  },
})

export const unprovenCase = caseRecord('ads_roas_q3', {
  tags: ['ads'],
  outcome: 'unproven',
  verdict: 'unproven',
  baseline: 'unproven',
  sample: {
    ...passingSample,
    verdict: 'unproven',
    reason: 'structure differs, results match on one database',
  },
})

const repairedCase = caseRecord('gmv_th_monthly', {
  outcome: 'repaired',
  baseline: 'fail',
  label: 'wrong_definition',
  retries: 2,
  repairId: 'p1',
})

const snippetBefore = 'SELECT sum(gmv)\n-- the table\nFROM commerce.orders_v1\nWHERE day > 1\n'
const snippetAfter = snippetBefore.replace('orders_v1', 'orders')

export const attempt: AttemptRecord = {
  id: 'p1',
  label: 'wrong_definition',
  subject: 'metric gmv',
  title: 'orders_v1 was replaced by orders',
  reasoning: 'every expected query of gmv reads commerce.orders',
  cases: ['gmv_th_monthly'],
  outcome: 'accepted',
  reason: undefined,
  grade: 'E2',
  goldExposed: true,
  evidence: {
    target: { passed: 3, of: 3 },
    twins: { passed: 6, of: 6 },
    heldOut: { passed: 2, of: 2 },
    affected: { passed: 21, of: 21 },
    benchmark: { before: 44, after: 47, of: 48 },
    broken: [],
  },
  edits: [
    {
      kind: 'edit_snippet',
      file: 'kb/snippets/gmv.sql',
      diff: createTwoFilesPatch('kb/snippets/gmv.sql', 'kb/snippets/gmv.sql', snippetBefore, snippetAfter),
      added: 1,
      removed: 1,
    },
  ],
  retries: 2,
  ms: 400,
  llmCalls: 0,
  commit: undefined,
}

export const rejectedAttempt: AttemptRecord = {
  ...attempt,
  id: 'p2',
  title: 'dau counts every zone',
  outcome: 'rejected',
  reason: 'breaks dau_th_monthly',
  grade: undefined,
  evidence: undefined,
  edits: [],
  retries: 2,
  llmCalls: 3,
}

/** One case of each kind that a person sees, one accepted and one rejected plan. */
export const detail: RunDetail = {
  run,
  cases: [caseRecord('gmv_id_q3'), repairedCase, failingCase, erroredCase, unprovenCase],
  attempts: [attempt, rejectedAttempt],
  llm: [{ role: 'repairer', model: 'tiny', calls: 3, inputTokens: 1200, outputTokens: 34, cost: 0.0021 }],
}

/** What a user or a database may put into any text. */
export const hostileText = `<script>alert("x")</script> ]]> & 'q' \u001b[31mred\u001b[0m \u0000\u0007 \u202egnp \ud800 \r\n@team \`\`\` | 日本語 👩‍👩‍👧 ${'x'.repeat(200)}`

export const hostileDetail: RunDetail = {
  run: { ...run, engine: hostileText, agent: hostileText },
  cases: detail.cases.map((record) => ({
    ...record,
    caseId: `${record.caseId} ${hostileText}`,
    question: hostileText,
    tags: [hostileText],
    file: hostileText,
    cause: hostileText,
    sample: {
      ...record.sample,
      answer: hostileText,
      message: hostileText,
      reason: hostileText,
      structure: {
        kind: 'different',
        differences: [{ component: 'filters', kind: 'missing', text: hostileText }],
      },
      results: {
        kind: 'mismatch',
        comparison: {
          match: false,
          expectedRows: 2,
          actualRows: 1,
          columns: [hostileText, 'n'],
          differing: 2,
          differences: [
            { kind: 'changed', expected: [hostileText, 9007199254740993n], actual: [null, 1], cells: [0, 1] },
            { kind: 'missing', row: [{ kind: 'other', type: 'BLOB', text: hostileText }, Number.NaN] },
          ],
        },
      },
    },
  })),
  attempts: detail.attempts.map((one) => ({
    ...one,
    subject: hostileText,
    title: hostileText,
    reasoning: hostileText,
    reason: hostileText,
    edits: one.edits.map((edit) => ({
      ...edit,
      diff: createTwoFilesPatch('a', 'a', 'one\n-- two\n', `one\n${hostileText}\n`),
    })),
  })),
}
