import type { CoveredFile } from '../server/protocol.js'

/** A source that tests reach, over all test files of a run. Lines count from 1. */
export interface SourceCoverage {
  readonly executable: ReadonlySet<number>
  readonly imported: ReadonlySet<number>
  /** By the id of a test, without parameters. */
  readonly tests: ReadonlyMap<string, ReadonlySet<number>>
}

/** Joins what several test files reached, by the path of the source. */
export function joinCoverage(
  files: readonly CoveredFile[],
  idOf: (nodeid: string) => string,
): ReadonlyMap<string, SourceCoverage> {
  const joined = new Map<
    string,
    { executable: Set<number>; imported: Set<number>; tests: Map<string, Set<number>> }
  >()
  for (const { filePath, executable_lines: executable, imported, tests } of files) {
    const known = joined.get(filePath) ?? { executable: new Set(), imported: new Set(), tests: new Map() }
    joined.set(filePath, known)
    for (const line of executable) known.executable.add(line)
    for (const line of imported) known.imported.add(line)
    for (const [nodeid, lines] of Object.entries(tests)) {
      const id = idOf(nodeid)
      const seen = known.tests.get(id) ?? new Set()
      known.tests.set(id, seen)
      for (const line of lines) seen.add(line)
    }
  }
  return joined
}

/** Returns how many tests reach each executable line; one that only its import runs counts as reached once. */
export function lineCounts({ executable, imported, tests }: SourceCoverage): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const line of [...executable].sort((a, b) => a - b)) {
    const reached = [...tests.values()].filter((lines) => lines.has(line)).length
    counts.set(line, reached > 0 ? reached : imported.has(line) ? 1 : 0)
  }
  return counts
}
