import * as vscode from 'vscode'
import { uriIn } from '../server/paths.js'
import type { CoveredFile } from '../server/protocol.js'
import { joinCoverage, lineCounts, type SourceCoverage } from './covered-lines.js'
import { withoutParameters } from './test-outcomes.js'
import type { TestTree } from './test-tree.js'

/** The coverage of runs, and its details when the editor asks for them. */
export class SourceCoverages {
  readonly #details = new WeakMap<vscode.FileCoverage, SourceCoverage>()

  /** Tells the editor which sources a run reached, and by which tests. */
  add(
    run: vscode.TestRun,
    folder: vscode.WorkspaceFolder,
    files: readonly CoveredFile[],
    tree: TestTree,
  ): void {
    const idOf = (nodeid: string): string => tree.find(folder, withoutParameters(nodeid))?.id ?? nodeid
    for (const [path, source] of joinCoverage(files, idOf)) {
      const counts = lineCounts(source)
      if (counts.size === 0) continue
      const reached = [...counts.values()].filter((count) => count > 0).length
      const tests = [
        ...new Set(files.flatMap((file) => (file.filePath === path ? Object.keys(file.tests) : []))),
      ]
      const items = new Set(tests.flatMap((nodeid) => tree.find(folder, withoutParameters(nodeid)) ?? []))
      const statements = new vscode.TestCoverageCount(reached, counts.size)
      const coverage = new vscode.FileCoverage(uriIn(folder, path), statements, undefined, undefined, [
        ...items,
      ])
      this.#details.set(coverage, source)
      run.addCoverage(coverage)
    }
  }

  /** Returns each executable line with the number of tests that reach it. */
  details(coverage: vscode.FileCoverage): vscode.StatementCoverage[] {
    const source = this.#details.get(coverage)
    return source === undefined ? [] : statements(lineCounts(source))
  }

  /** Returns the same for one test. */
  detailsOfTest(coverage: vscode.FileCoverage, test: vscode.TestItem): vscode.StatementCoverage[] {
    const source = this.#details.get(coverage)
    const lines = source?.tests.get(test.id)
    if (source === undefined || lines === undefined) return []
    return statements(new Map([...source.executable].map((line) => [line, lines.has(line) ? 1 : 0])))
  }
}

function statements(counts: ReadonlyMap<number, number>): vscode.StatementCoverage[] {
  return [...counts].map(
    ([line, count]) => new vscode.StatementCoverage(count, new vscode.Position(line - 1, 0)),
  )
}
