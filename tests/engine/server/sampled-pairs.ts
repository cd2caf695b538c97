import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEnginePool } from '../../../src/app/engine-pool.js'
import { sampleScriptOf } from '../../../src/compare/copies/sampled/sample-urls.js'
import type { CopyFinding } from '../../../src/compare/model/sql-score.js'
import type { Engine } from '../../../src/engine/contract/engine.js'
import { sqliteKind } from '../../../src/engine/file/sqlite.js'
import { findingOf } from '../../compare/copies/pair-on-copies.js'

/** Compares pairs on copies that stand in front of a server's queries, in a project of their own. */
export interface SampledPairs {
  /** `match 5`, `refuted`, `weak 0`, or the reason why there are no copies. */
  say(engine: Engine, expectedSql: string, generatedSql: string): Promise<string>
  /** Names of the files of samples. */
  files(): string[]
  close(): Promise<void>
}

export function sampledPairs(): SampledPairs {
  const root = mkdtempSync(join(tmpdir(), 'autotest-samples-'))
  const memoryBytes = 1e9
  const pool = createEnginePool([sqliteKind], (url) => ({
    root,
    fixture: sampleScriptOf(url),
    concurrency: 1,
    memoryBytes,
  }))
  return {
    async say(engine, expectedSql, generatedSql) {
      const samples = { root, memoryBytes, useEngine: pool.use }
      return said(await findingOf(engine, expectedSql, generatedSql, 1, samples))
    },
    files: () => readdirSync(join(root, '.autotest', 'samples')),
    async close() {
      await pool.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function said(finding: CopyFinding | undefined): string {
  switch (finding?.kind) {
    case 'match':
    case 'weak':
      return `${finding.kind} ${finding.informative}`
    case 'unavailable':
      return finding.reason
    default:
      return finding?.kind ?? 'none'
  }
}
