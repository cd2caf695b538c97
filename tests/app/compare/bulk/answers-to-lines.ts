import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { compareInBulk } from '../../../../src/app/compare/bulk/compare-in-bulk.js'
import { createStructureComparer } from '../../../../src/app/compare/structure-comparer.js'
import { createEnginePool, type EnginePool } from '../../../../src/app/engine-pool.js'
import { engineKinds } from '../../../../src/app/engine-registry.js'
import { createCopyComparer } from '../../../../src/compare/copies/compare-on-copies.js'
import { createExpectedResultsCache } from '../../../../src/compare/outcomes/expected-results-cache.js'
import type { Dialect } from '../../../../src/enums/dialect.js'
import type { Policy } from '../../../../src/enums/verdict-policy.js'
import { Sqlite as Database } from '../../../../src/platform/sqlite.js'
import { loadSqlParser } from '../../../../src/sql/index.js'

/** The folder of the databases. */
export let dir: string
export const limits = { timeoutMs: 10_000, rows: 1000, bytes: 1e6, memoryBytes: 1e9 }
export let engines: EnginePool

/** Opens six databases for the tests of the file, `a.db` to `f.db`, and removes them behind the last. */
export function withDatabases(): void {
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'autotest-bulk-'))
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const database = new Database(join(dir, `${name}.db`))
      database.exec(`CREATE TABLE t (id INTEGER, name TEXT); INSERT INTO t VALUES (1, '${name}'), (2, 'z')`)
      database.close()
    }
    engines = createEnginePool(engineKinds, () => ({ root: dir, concurrency: 1, memoryBytes: 1e9 }))
  })

  afterAll(async () => {
    await engines.close()
    rmSync(dir, { recursive: true, force: true })
  })
}

interface Options {
  readonly engine?: string
  readonly dialect?: Dialect
  readonly policy?: Policy
}

export interface Answer {
  readonly id?: unknown
  readonly line?: number
  readonly error?: string
  readonly verdict?: string
  readonly structure?: {
    verdict: string
    assumptions?: string[]
    differences: { component: string; kind: string; text: string }[]
    error?: string
  }
  readonly results?: { verdict: string; differing?: number; differences?: unknown[]; error?: string }
}

export async function answersTo(lines: readonly unknown[], options: Options = {}): Promise<Answer[]> {
  const parser = await loadSqlParser()
  const answers: Answer[] = []
  async function* input(): AsyncGenerator<Uint8Array> {
    for (const line of lines) yield Buffer.from(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
  }
  await compareInBulk({
    input: input(),
    context: {
      parser,
      structure: createStructureComparer(parser),
      engines,
      expectedResults: createExpectedResultsCache(),
      copies: createCopyComparer({
        count: 3,
        seed: 1,
        source: async () => undefined,
        loadParser: loadSqlParser,
      }),
      limits,
      tolerance: 1e-4,
      policy: options.policy ?? 'evidence',
      engine: options.engine,
      dialect: options.dialect,
    },
    write: async (text) => {
      answers.push(JSON.parse(text))
      return true
    },
    signal: new AbortController().signal,
  })
  return answers
}

export async function answerTo(line: unknown, options: Options = {}): Promise<Answer> {
  const [answer] = await answersTo([line], options)
  if (answer === undefined) throw new Error('no answer')
  return answer
}
