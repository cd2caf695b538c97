import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Engine, QueryLimits } from '../../src/engine/engine.js'
import type { EngineKind } from '../../src/engine/kind.js'

export const limits: QueryLimits = { timeoutMs: 5000, rows: 1000, bytes: 1_000_000, memoryBytes: 400_000_000 }

/** A folder of its own, removed when the test ends. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-engine-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Opens a database built from a script in a folder; closed when the test ends. */
export async function openScript(kind: EngineKind, root: string, script: string): Promise<Engine> {
  writeFileSync(join(root, 'script.sql'), script)
  const engine = await kind.open('test.db', {
    root,
    fixture: 'script.sql',
    concurrency: 2,
    memoryBytes: 400e6,
  })
  onTestFinished(() => engine.close())
  return engine
}
