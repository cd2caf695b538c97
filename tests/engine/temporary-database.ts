import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { Engine, QueryLimits } from '../../src/engine/contract/engine.js'
import type { EngineKind } from '../../src/engine/contract/engine-kind.js'

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

/** A database built from a script for all tests of a `describe`; opened before the first of them, closed behind the last. */
export function sharedDatabase(kind: EngineKind, script: string): () => Engine {
  let root: string | undefined
  let engine: Engine | undefined
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'autotest-engine-test-'))
    writeFileSync(join(root, 'script.sql'), script)
    engine = await kind.open('test.db', { root, fixture: 'script.sql', concurrency: 2, memoryBytes: 400e6 })
  })
  afterAll(async () => {
    await engine?.close()
    if (root !== undefined) rmSync(root, { recursive: true, force: true })
  })
  return () => {
    if (engine === undefined)
      throw new Error('The database is opened before the tests, not while they are collected')
    return engine
  }
}
