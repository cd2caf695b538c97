import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import type { SqlCase } from '../../benchmark/case.js'
import { parseCases } from '../../benchmark/load.js'
import type {
  CommitText,
  History,
  KnowledgeChange,
  LineOrigin,
  PreviousQuery,
} from '../../domains/sql/repair/model/knowledge-history.js'
import {
  boundaryCommit,
  commitsAfter,
  commitsOf,
  lastChangeOfLines,
  maxLaterCommits,
} from '../../git/commits.js'
import {
  type ChangedText,
  changedTexts,
  commitDate,
  fileHistory,
  folderChanges,
  type PreviousText,
  previousTexts,
  textAfter,
} from '../../git/file-history.js'
import { describeHistoryLimit } from '../../git/history-gap.js'
import { lineOrigins } from '../../git/line-origins.js'
import { maxCommitsOfFolders, type RemovedLine, removedLines } from '../../git/removed-lines.js'
import { keepUnlessFailed } from '../../platform/keep-unless-failed.js'

/** Maximal numbers of earlier texts that are read of one file, and of the benchmark. */
const [maxTexts, maxBenchmarks] = [20, 60]

/** How many former expected queries of a case are used, including the one before a reformatting. */
const maxQueries = 3

/**
 * Returns the git history of a project's knowledge and benchmark, read on demand.
 *
 * @param folders folders and files of the knowledge, relative to the root
 * @param runs reports whether a query can be run today: a query that cannot was changed for that reason
 * @param onLimit called with words for people where more history was needed than is read
 */
export function projectHistory(
  root: string,
  folders: readonly string[],
  benchmark: readonly SqlCase[],
  runs: (testCase: SqlCase, sql: string) => Promise<boolean>,
  onLimit: (text: string) => void,
): History {
  const cut = (read: string): void => onLimit(describeHistoryLimit(read))
  const texts = new Map<string, Promise<PreviousText[]>>()
  const queries = new Map<string, Promise<PreviousQuery[]>>()
  const knowledge = new Map<string, Promise<ChangedText[]>>()
  const changes = new Map<string, Promise<SqlCase[]>>()
  const own = new Map<string, Promise<readonly CommitText[]>>()
  const later = new Map<string, Promise<readonly CommitText[]>>()
  const origins = new Map<string, Promise<readonly LineOrigin[]>>()
  let versions: CaseVersions | undefined
  let folder: Promise<KnowledgeChange[]> | undefined
  let boundary: Promise<CommitText | undefined> | undefined
  return {
    versionsOf: (path) =>
      keepUnlessFailed(texts, path, async () => {
        // One more than is used shows whether there are older ones.
        const found = await takeUpTo(fileHistory(root, path, maxTexts + 2), maxTexts + 1)
        if (found.length > maxTexts) cut(`the newest ${maxTexts} changes of ${path}`)
        return found.slice(0, maxTexts)
      }),
    queriesOf: (testCase) =>
      keepUnlessFailed(queries, testCase.id, () => {
        versions ??= new CaseVersions(root, benchmark, cut)
        return previousQueries(testCase, versions, runs)
      }),
    knowledgeChangedBy: (by) => keepUnlessFailed(knowledge, by, () => changedTexts(root, by, folders)),
    changes: async () => {
      folder ??= folderChanges(root, folders, maxCommitsOfFolders + 1)
      const found = await folder
      if (found.length > maxCommitsOfFolders)
        cut(`the newest ${maxCommitsOfFolders} commits of ${folders.join(' and ')}`)
      return found.slice(0, maxCommitsOfFolders)
    },
    textAfter: (path, by) => textAfter(root, path, by),
    lineOrigins: (path) => keepUnlessFailed(origins, path, () => lineOrigins(root, path)),
    commitsOf: (by) => keepUnlessFailed(own, by, () => commitsOf(root, by)),
    commitsAfter: (by) =>
      keepUnlessFailed(later, by, async () => {
        const { commits, isCut } = await commitsAfter(root, by)
        if (isCut) cut(`the newest ${maxLaterCommits} commits after ${by}`)
        return commits
      }),
    boundary: () => {
      boundary ??= boundaryCommit(root)
      return boundary
    },
    lastChangeOf: (testCase) => lastChangeOfCase(testCase, root),
    dateOf: (by) => commitDate(root, by),
    casesChangedBy: (by) => keepUnlessFailed(changes, by, () => changedBy(by, root, benchmark)),
  }
}

async function previousQueries(
  testCase: SqlCase,
  versions: CaseVersions,
  runs: (testCase: SqlCase, sql: string) => Promise<boolean>,
): Promise<PreviousQuery[]> {
  const found: PreviousQuery[] = []
  for await (const { cases, by } of versions.all()) {
    const former = sameCase(testCase, cases)
    if (
      former === undefined ||
      normalizeWhitespace(former.expectedSql) === normalizeWhitespace(testCase.expectedSql)
    )
      continue
    if (found.some(({ sql }) => normalizeWhitespace(sql) === normalizeWhitespace(former.expectedSql)))
      continue
    // It had to be changed, and earlier changes had their own reasons.
    if (!(await runs(testCase, former.expectedSql))) break
    found.push({ question: former.question, sql: former.expectedSql, by })
    if (found.length === maxQueries) break
  }
  return found
}

/** Compares the change itself with its parent: later changes of the benchmark do not matter. */
async function changedBy(by: string, root: string, benchmark: readonly SqlCase[]): Promise<SqlCase[]> {
  const changed = await changedTexts(root, by, foldersOf(root, benchmark))
  const texts = changed.filter(({ path }) => isBenchmark(path))
  const before = texts.flatMap(({ path, before: text }) => readCases(text, path))
  const after = texts.flatMap(({ path, after: text }) => readCases(text, path))
  // A case that was moved, or has its former query again, did not change.
  return before.filter((one) =>
    [after, benchmark].every((state) => {
      const now = sameCase(one, state)
      return (
        now === undefined || normalizeWhitespace(now.expectedSql) !== normalizeWhitespace(one.expectedSql)
      )
    }),
  )
}

function sameCase(testCase: SqlCase, cases: readonly SqlCase[]): SqlCase | undefined {
  return (
    cases.find(({ id }) => id === testCase.id) ??
    cases.find(({ question }) => normalizeWhitespace(question) === normalizeWhitespace(testCase.question))
  )
}

interface CaseVersion {
  readonly cases: readonly SqlCase[]
  readonly by: string
}

/** Earlier states of the benchmark's files, newest first, each read once. */
class CaseVersions {
  private readonly read: CaseVersion[] = []
  private readonly unread: Promise<AsyncGenerator<PreviousText, void>>
  private readonly cut: (read: string) => void

  constructor(root: string, benchmark: readonly SqlCase[], cut: (read: string) => void) {
    this.cut = cut
    const folders = foldersOf(root, benchmark)
    this.unread = removedLines(root, ...folders).then(({ lines, isCut }) => {
      if (isCut) cut(`the newest ${maxCommitsOfFolders} commits of ${folders.join(' and ')}`)
      return previousTexts(root, lines.filter(mayAffectQuery))
    })
  }

  async *all(): AsyncGenerator<CaseVersion, void> {
    for (let at = 0; at < maxBenchmarks; at++) {
      const version = this.read[at] ?? (await this.next())
      if (version === undefined) return
      yield version
    }
    if ((await (await this.unread).next()).done !== true)
      this.cut(`the newest ${maxBenchmarks} changes of the benchmark`)
  }

  private async next(): Promise<CaseVersion | undefined> {
    const { value } = await (await this.unread).next()
    if (value === undefined) return undefined
    const { path, by } = value
    const version = { cases: readCases(value.text, path), by }
    this.read.push(version)
    return version
  }
}

/** Returns the newest commit of the lines from a case's start to the end of its expected query. */
async function lastChangeOfCase(
  { location, sqlLocation, expectedSql }: SqlCase,
  root: string,
): Promise<CommitText | undefined> {
  const path = relative(root, resolve(root, location.file))
  if (isAbsolute(path) || path.startsWith(`..${sep}`)) return undefined
  const end = Math.max(location.line, sqlLocation.line) + expectedSql.trimEnd().split('\n').length - 1
  return await lastChangeOfLines(root, path.split(sep).join('/'), location.line, end)
}

/**
 * Returns the folders of the benchmark, relative to the root; files outside of it are in no history of the
 * project.
 */
function foldersOf(root: string, benchmark: readonly SqlCase[]): string[] {
  const files = benchmark.map(({ location }) => relative(root, resolve(root, location.file)))
  const own = files.filter((file) => !isAbsolute(file) && !file.startsWith(`..${sep}`))
  return [...new Set(own.map((file) => dirname(file).split(sep).join('/')))]
}

/** Returns the cases of a file; none if it did not exist, or cannot be read. */
function readCases(text: string | undefined, path: string): readonly SqlCase[] {
  if (text === undefined) return []
  const outcome = parseCases(Buffer.from(text), path)
  return outcome.kind === 'cases' ? outcome.cases : []
}

function isBenchmark(path: string): boolean {
  return /\.ya?ml$/u.test(path)
}

/** Reports whether a removed line may affect a query: changes of questions, tags and comments do not. */
function mayAffectQuery({ path, text }: RemovedLine): boolean {
  return isBenchmark(path) && !/^\s*(?:-\s*)?(?:(?:id|question|tags|as_of)\s*:|#|$)/u.test(text)
}

function normalizeWhitespace(text: string): string {
  return text.trim().replaceAll(/\s+/gu, ' ')
}

async function takeUpTo<Item>(items: AsyncIterable<Item>, most: number): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) {
    list.push(item)
    if (list.length === most) break
  }
  return list
}
