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
  /** @param source an engine whose copies stand for those of the first */
  finding(
    engine: Engine,
    expectedSql: string,
    generatedSql: string,
    source?: Engine,
  ): Promise<CopyFinding | undefined>
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
  const samples = { root, memoryBytes, useEngine: pool.use }
  const finding: SampledPairs['finding'] = (engine, expectedSql, generatedSql, source) =>
    findingOf(engine, expectedSql, generatedSql, { samples, source })
  return {
    finding,
    say: async (engine, expectedSql, generatedSql) => said(await finding(engine, expectedSql, generatedSql)),
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
