import type { Database, Statement } from '../platform/sqlite.js'
import type { TableAccess } from './table-access.js'

/** What became of a test when it last ran. */
export interface TestResultRecord {
  /** As pytest names it, relative to the root: `tests/test_calc.py::test_add`. */
  readonly test: string
  readonly outcome: string
  /** Milliseconds. */
  readonly ms: number
  /** ISO timestamp, UTC. */
  readonly at: string
}

/** The last results of tests in a run database. */
export class TestResultRows {
  readonly #access: TableAccess
  readonly #insert: Statement<unknown[]>
  readonly #ofProject: Statement<unknown[], TestResultRecord>

  constructor(database: Database, access: TableAccess) {
    this.#access = access
    this.#insert = database.prepare(
      'INSERT OR REPLACE INTO test_results (root, test, outcome, ms, at) VALUES (?, ?, ?, ?, ?)',
    )
    this.#ofProject = database.prepare<unknown[], TestResultRecord>(
      'SELECT test, outcome, ms, at FROM test_results WHERE root = ? ORDER BY test',
    )
  }

  /** @param root of the project, absolute */
  record(root: string, results: readonly TestResultRecord[]): void {
    this.#access.write(() => {
      for (const { test, outcome, ms, at } of results) this.#insert.run(root, test, outcome, ms, at)
    })
  }

  ofProject(root: string): readonly TestResultRecord[] {
    return this.#access.write(() => this.#ofProject.all(root))
  }
}
