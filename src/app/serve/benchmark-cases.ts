import { realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { findBenchmarkFiles } from '../../benchmark/file-discovery.js'
import { loadConfig } from '../../config/load.js'
import type { RejectedRepair } from '../../contracts/rejected-repair.js'
import { readRegularFile } from '../../platform/read-regular-file.js'
import { describeDifferences } from '../../report/format-text.js'
import { readYaml } from '../../snapshot/yaml.js'
import type { CaseHistoryEntry } from '../../store/read-statements.js'
import type { AttemptRecord } from '../../store/record-types.js'
import { readDecisions } from '../project/decisions-file.js'
import { openStoreIfThere } from '../project/project-store.js'

/** A case of a benchmark file as an editor shows it. */
export interface CaseInFile {
  readonly id: string
  /** Of its `id`, from 1. */
  readonly line: number
  /** What became of it in the last run that had it; absent: none had. */
  readonly last?: {
    readonly run: string
    /** ISO timestamp, UTC. */
    readonly at: string
    readonly verdict: string
    readonly outcome: string
    readonly reason: string
    readonly differences: readonly string[]
    /** A dry run has a verified repair for it, which is not written. */
    readonly hasPlan: boolean
  }
}

export interface CasesOfFile {
  /** Whether the configuration names the file. */
  readonly isBenchmark: boolean
  readonly cases: readonly CaseInFile[]
}

/**
 * Returns the cases of a benchmark file with their last verdicts. A text that is being written need not be valid: cases without an id are left out.
 *
 * @param path relative to the root
 * @param text unsaved text; absent: what the file has
 */
export async function casesOfFile(
  root: string,
  path: string,
  text: string | undefined,
  now: () => Date,
): Promise<CasesOfFile> {
  if (!(await isBenchmarkFile(root, path))) return { isBenchmark: false, cases: [] }
  const cases = casesIn(text ?? (await readRegularFile(join(root, path))).toString('utf8'), path)
  const opened = await openStoreIfThere({ cwd: root }, now)
  if (opened === undefined) return { isBenchmark: true, cases }
  const { store } = opened
  try {
    const rejected = await readDecisions(root)
    return {
      isBenchmark: true,
      cases: cases.map((each) => {
        const [entry] = store.caseHistory(each.id, { limit: 1 })
        return entry === undefined ? each : { ...each, last: lastOf(entry, rejected) }
      }),
    }
  } finally {
    store.close()
  }
}

async function isBenchmarkFile(root: string, path: string): Promise<boolean> {
  const config = await loadConfig({ cwd: root })
  const files = await findBenchmarkFiles(config.benchmarks, config.root).catch(() => [])
  const base = await realpath(root)
  return files.some((file) => relative(base, file).split(sep).join('/') === path || file === join(root, path))
}

function casesIn(text: string, path: string): CaseInFile[] {
  const read = readYaml(text, path)
  if (read.kind === 'problem') return []
  const { data, locate, sourceOf } = read.file
  const rows = typeof data === 'object' && data !== null && 'cases' in data ? data.cases : undefined
  if (!Array.isArray(rows)) return []
  return rows.flatMap((row: unknown, index) => {
    if (typeof row !== 'object' || row === null || !('id' in row)) return []
    const id = typeof row.id === 'string' ? row.id : sourceOf(['cases', index, 'id'])
    return id === undefined ? [] : [{ id, line: locate(['cases', index, 'id']).line }]
  })
}

function lastOf(
  { run, record, attempts }: CaseHistoryEntry,
  rejected: readonly RejectedRepair[],
): Required<CaseInFile>['last'] {
  const { verdict, outcome, sample } = record
  const isWanted = ({ title, outcome: found }: AttemptRecord): boolean =>
    found === 'accepted' && !rejected.some((each) => each.run === run.id && each.repair === title)
  return {
    ...{ run: run.id, at: run.finishedAt ?? run.startedAt, verdict, outcome },
    reason: sample.reason ?? sample.message ?? '',
    differences: verdict === 'pass' ? [] : describeDifferences(sample),
    hasPlan: run.mode === 'dry_run' && run.decision !== 'kept' && attempts.some(isWanted),
  }
}
