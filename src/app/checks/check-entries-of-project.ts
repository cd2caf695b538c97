import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Config } from '../../config/config.js'
import type { Engine, QueryLimits } from '../../engine/contract/engine.js'
import { duckdbKind } from '../../engine/file/duckdb.js'
import { openEngine } from '../../engine/open-engine.js'
import type { Dialect } from '../../enums/dialect.js'
import type { Entries } from '../../kb/entries/open-entries.js'
import { fileLinks } from '../../kb/markdown/links.js'
import { openSources } from '../../kb/parse.js'
import type { EntryJudge, EntryReport } from '../../lint/check-entries.js'
import type { LintFinding } from '../../lint/finding.js'
import { readText, type Snapshot } from '../../snapshot/snapshot.js'
import type { SqlParser } from '../../sql/index.js'
import { engineKindOf } from '../engine-registry.js'
import { openCatalogue, readCatalogueFile } from './catalogue-file.js'

export interface EntryCheckOptions {
  readonly config: Config
  readonly snapshot: Snapshot
  readonly parser: SqlParser
  readonly dialect: Dialect
  readonly engine: Engine | undefined
  readonly limits: QueryLimits
  /** Absolute path of a file with tables and columns; it is used where no engine is configured. */
  readonly catalogue: string | undefined
  /** Whether queries run on a remote engine, too. */
  readonly isRunRemotely: boolean
  readonly signal: AbortSignal
}

/** What a check of entries found, and which files it took. */
export interface EntryCheck extends EntryReport {
  readonly taken: Entries['taken']
  readonly left: Entries['left']
}

/** Checks the entries of all sources, and the fences of notes; undefined if there are none. */
export async function checkEntriesOf(options: EntryCheckOptions): Promise<EntryCheck | undefined> {
  const { config, snapshot, engine, catalogue: file } = options
  const notes = { path: `${config.kb}/notes`, format: 'markdown' }
  const opened = openSources(snapshot, [...config.sources, notes])
  if (opened.entries.length + opened.skipped.length + opened.left.length === 0) return undefined
  const { checkEntries } = await import('../../lint/check-entries.js')
  const judge = await judgeOf(engine, file, options)
  try {
    const report = await checkEntries(opened, { ...options, judge })
    const findings = [...report.findings, ...deadLinks(opened, snapshot, config.root)]
    return { counts: report.counts, findings, taken: opened.taken, left: opened.left }
  } finally {
    if (judge !== undefined && judge.engine !== engine) await judge.engine.close()
  }
}

async function judgeOf(
  engine: Engine | undefined,
  file: string | undefined,
  { config, isRunRemotely }: EntryCheckOptions,
): Promise<EntryJudge | undefined> {
  if (file === undefined) {
    if (engine === undefined) return undefined
    const isLocal = engineKindOf(config.engine)?.isRemote !== true
    return { engine, how: isLocal || isRunRemotely ? 'run' : 'bind' }
  }
  const catalogue = await readCatalogueFile(file)
  const opened = await openCatalogue(catalogue, (path, script) =>
    openEngine(`duckdb:${path}`, [duckdbKind], {
      root: config.root,
      fixture: script,
      concurrency: 1,
      memoryBytes: config.limits.memoryBytes,
    }),
  )
  return { engine: opened, how: 'names' }
}

function deadLinks({ taken }: Entries, snapshot: Snapshot, root: string): LintFinding[] {
  return taken
    .filter(({ format }) => format === 'markdown')
    .flatMap(({ path }) =>
      fileLinks(readText(snapshot, path) ?? '').flatMap(({ target, line }): LintFinding[] => {
        const file = posix.join(posix.dirname(path), target)
        if (existsSync(join(root, file))) return []
        return [
          {
            rule: 'dead_link',
            severity: 'warning',
            path,
            line,
            column: 1,
            message: `${target} does not exist`,
          },
        ]
      }),
    )
}
