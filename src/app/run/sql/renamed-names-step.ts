import { findRenamedNames } from '../../../domains/sql/renamed-names.js'
import type { SqlTypes } from '../../../domains/sql/sql-domain-types.js'
import { parseKnowledgeBase } from '../../../kb/parse.js'
import { loadSqlParser } from '../../../sql/index.js'
import type { CaseRecord } from '../../../store/record-types.js'
import type { RunComponents } from '../../compose.js'
import type { SqlProject } from '../../project/project.js'
import type { MeasuredBaseline, StartedRun } from '../run-state.js'
import { caseSchemas } from './case-schemas.js'

/**
 * Labels cases whose expected query names a column or table that the database no longer has: it was the
 * database that changed, and what it has instead is looked up once for all of them.
 */
export async function labelRenamedNames(
  { request, run, snapshot }: StartedRun<SqlTypes>,
  parts: RunComponents,
  { config, benchmark, selected }: SqlProject,
  baseline: MeasuredBaseline<SqlTypes>,
): Promise<MeasuredBaseline<SqlTypes>> {
  const byId = new Map(selected.map((testCase) => [testCase.id, testCase]))
  const failing = [...baseline.failedRows.values()].flatMap(({ caseId, label, sample: { results } }) => {
    const testCase = byId.get(caseId)
    if (label !== 'suspect_oracle' || results?.kind !== 'expected_failed' || testCase === undefined) return []
    return [{ testCase, dialect: parts.dialectOf(testCase), message: results.message }]
  })
  if (failing.length === 0 || request.signal.aborted) return baseline
  const schemaOf = await caseSchemas(
    failing.map(({ testCase }) => testCase),
    parts.engineOf,
  )
  const renamed = findRenamedNames(failing, {
    kb: parseKnowledgeBase(snapshot, config.kb),
    snapshot,
    parser: await loadSqlParser(),
    dialect: parts.evaluator.agentDialect,
    benchmark,
    schemaOf,
  })
  const failedRows = new Map(baseline.failedRows)
  for (const { cause, cases } of renamed) {
    for (const id of cases) {
      const row = failedRows.get(id)
      if (row !== undefined) failedRows.set(id, { ...row, label: 'schema_changed', cause })
    }
  }
  const changed = renamed.flatMap(({ cases }) =>
    cases.flatMap((id): CaseRecord[] => [failedRows.get(id) ?? []].flat()),
  )
  request.store.recordCases(run.id, changed)
  return { ...baseline, failedRows }
}
