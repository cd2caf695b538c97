import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import type { SqlCase } from '../benchmark/case.js'
import { casesIn } from '../benchmark/load.js'
import { type FormerText, fileHistory, formerTexts } from '../git/former-texts.js'
import { type RemovedLine, removedLines } from '../git/removed-lines.js'
import type { FormerQuery, History } from '../repair/history.js'

/** Earlier texts of one file, and of the benchmark, that are read at most. */
const [mostTexts, mostBenchmarks] = [20, 60]

/** Queries that a case expected before, which are of use: the one before a reformatting, too. */
const mostQueries = 3

/**
 * What git tells of a project's knowledge and benchmark. Nothing is read before it is asked for.
 *
 * @param runs whether a query can be run today: what cannot was changed for a reason
 */
export function projectHistory(
  root: string,
  benchmark: readonly SqlCase[],
  runs: (testCase: SqlCase, sql: string) => Promise<boolean>,
): History {
  const texts = new Map<string, Promise<FormerText[]>>()
  const queries = new Map<string, Promise<FormerQuery[]>>()
  let versions: CaseVersions | undefined
  return {
    textsOf: (path) => known(texts, path, () => taken(fileHistory(root, path, mostTexts), mostTexts)),
    queriesOf: (testCase) =>
      known(queries, testCase.id, () => {
        versions ??= new CaseVersions(root, benchmark)
        return formerQueries(testCase, versions, runs)
      }),
    casesChangedBy: (by) => {
      versions ??= new CaseVersions(root, benchmark)
      return changedBy(by, versions, benchmark)
    },
  }
}

async function formerQueries(
  testCase: SqlCase,
  versions: CaseVersions,
  runs: (testCase: SqlCase, sql: string) => Promise<boolean>,
): Promise<FormerQuery[]> {
  const found: FormerQuery[] = []
  for await (const { cases, by } of versions.all()) {
    const former = sameCase(testCase, cases)
    if (former === undefined || words(former.expectedSql) === words(testCase.expectedSql)) continue
    if (found.some(({ sql }) => words(sql) === words(former.expectedSql))) continue
    // It had to be changed, and what was before that had its own reasons.
    if (!(await runs(testCase, former.expectedSql))) break
    found.push({ question: former.question, sql: former.expectedSql, by })
    if (found.length === mostQueries) break
  }
  return found
}

async function changedBy(
  by: string,
  versions: CaseVersions,
  benchmark: readonly SqlCase[],
): Promise<SqlCase[]> {
  /** By path: what the change behind the one that is looked at left. */
  const after = new Map<string, readonly SqlCase[]>()
  const changed: SqlCase[] = []
  let found = false
  for await (const version of versions.all()) {
    if (found && version.by !== by) break
    found = version.by === by
    const { path, cases } = version
    // A case that was moved, or has its query again, is as it was.
    const states = [after.get(path) ?? benchmark, benchmark]
    if (found)
      changed.push(
        ...cases.filter((one) =>
          states.every((state) => {
            const now = sameCase(one, state)
            return now === undefined || words(now.expectedSql) !== words(one.expectedSql)
          }),
        ),
      )
    after.set(path, cases)
  }
  return changed
}

function sameCase(testCase: SqlCase, cases: readonly SqlCase[]): SqlCase | undefined {
  return (
    cases.find(({ id }) => id === testCase.id) ??
    cases.find(({ question }) => words(question) === words(testCase.question))
  )
}

interface CaseVersion {
  readonly path: string
  readonly cases: readonly SqlCase[]
  readonly by: string
}

/** Earlier states of the benchmark's files, newest first, each read once. */
class CaseVersions {
  private readonly read: CaseVersion[] = []
  private readonly unread: Promise<AsyncGenerator<FormerText, void>>

  constructor(root: string, benchmark: readonly SqlCase[]) {
    const files = benchmark.map(({ location }) => relative(root, resolve(root, location.file)))
    const folders = new Set(
      files
        .filter((file) => !isAbsolute(file) && !file.startsWith(`..${sep}`))
        .map((file) => dirname(file).split(sep).join('/')),
    )
    this.unread = removedLines(root, ...folders).then((lines) =>
      formerTexts(root, lines.filter(mayBeOfQuery)),
    )
  }

  async *all(): AsyncGenerator<CaseVersion, void> {
    for (let at = 0; at < mostBenchmarks; at++) {
      const version = this.read[at] ?? (await this.next())
      if (version === undefined) return
      yield version
    }
  }

  private async next(): Promise<CaseVersion | undefined> {
    const { value } = await (await this.unread).next()
    if (value === undefined) return undefined
    const outcome = casesIn(Buffer.from(value.text), value.path)
    const { path, by } = value
    const version = { path, cases: outcome.kind === 'cases' ? outcome.cases : [], by }
    this.read.push(version)
    return version
  }
}

/** Other questions, tags and comments come and go without any query changing. */
function mayBeOfQuery({ path, text }: RemovedLine): boolean {
  return /\.ya?ml$/u.test(path) && !/^\s*(?:-\s*)?(?:(?:id|question|tags|as_of)\s*:|#|$)/u.test(text)
}

function words(text: string): string {
  return text.trim().replaceAll(/\s+/gu, ' ')
}

function known<Found>(
  found: Map<string, Promise<Found>>,
  key: string,
  find: () => Promise<Found>,
): Promise<Found> {
  const promise = found.get(key) ?? find()
  found.set(key, promise)
  return promise
}

async function taken<Item>(items: AsyncIterable<Item>, most: number): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) {
    list.push(item)
    if (list.length === most) break
  }
  return list
}
