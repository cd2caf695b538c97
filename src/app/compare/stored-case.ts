import type { SqlCase } from '../../benchmark/case.js'
import { loadBenchmark } from '../../benchmark/load.js'
import type { Config } from '../../config/config.js'
import { isDialect } from '../../enums/dialect.js'
import { AutotestError } from '../../errors.js'
import type { CaseRecord, RunRecord } from '../../store/record-types.js'
import type { RunStore } from '../../store/store.js'
import { caseOfRun } from '../project/case-history.js'
import type { ComparisonRequest } from './comparison-request.js'

/** A case with its answer in the last run. */
export interface StoredCase {
  readonly run: RunRecord
  readonly record: CaseRecord
}

/**
 * Returns a case of the last run. Throws `run_unknown` if there is no run, `case_unknown` if the last run had no
 * such case.
 */
export function lastStoredCase(store: RunStore, root: string, caseId: string): StoredCase {
  const latest = store.latestRun({ root })
  const detail = latest === undefined ? undefined : store.runDetail(latest.id)
  if (detail === undefined) throw noRunError(caseId)
  return { run: detail.run, record: caseOfRun(detail, caseId) }
}

export function noRunError(caseId: string): AutotestError {
  return new AutotestError(
    'run_unknown',
    `no run is recorded, so there is no answer of ${caseId} to compare`,
    { hint: 'Run autotest first, or give --expected and --generated.' },
  )
}

/** Returns the stored queries with the case's present options in the benchmark. */
export async function requestFromCase(
  { run, record }: StoredCase,
  config: Config,
): Promise<ComparisonRequest & { readonly note: string | undefined }> {
  const { sample } = record
  const current = await currentCase(record.caseId, config)
  // If the case has its own database, the answer was requested in that database's dialect.
  const ownEngine = config.dialect === undefined && current?.engine !== undefined
  const place = { file: record.file, line: record.line, column: 1 }
  const stored: SqlCase = {
    kind: 'sql',
    id: record.caseId,
    question: record.question,
    expectedSql: sample.expected,
    tags: record.tags,
    compare: {},
    location: place,
    sqlLocation: place,
  }
  return {
    testCase: current === undefined ? stored : { ...current, expectedSql: sample.expected },
    generatedSql: sample.answer ?? '',
    generatedDialect: ownEngine || !isDialect(run.dialect) ? undefined : run.dialect,
    engine: current?.engine ?? config.engine,
    note:
      current === undefined
        ? 'the case is no longer in the benchmark: default options are used'
        : current.expectedSql === sample.expected
          ? undefined
          : `expected_sql has changed since run ${run.id}: the query of that run is compared`,
  }
}

async function currentCase(caseId: string, config: Config): Promise<SqlCase | undefined> {
  const { cases } = await loadBenchmark({ paths: config.benchmarks, cwd: config.root })
  return cases.find((testCase) => testCase.id === caseId)
}
