import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { extname, join, posix } from 'node:path'
import { parseCases } from '../../benchmark/load.js'
import { AutotestError } from '../../errors.js'
import type { KnowledgeEntry } from '../../kb/entries/entry-format.js'
import { isAnswering, placeOf } from '../../kb/nearest/nearest-entry.js'
import { openSources } from '../../kb/parse.js'
import { skippedFolders } from '../../roles/installed-folders.js'
import { loadSnapshot } from '../../snapshot/load.js'
import { configText, importedText } from './project-texts.js'

/** What a project has, and what would be written for it. */
export interface ProjectPlan {
  /** One line each: what was found, and what was left, with the reason. */
  readonly found: readonly string[]
  /** New files, relative to the root. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

const engines: Readonly<Record<string, string>> = {
  '.duckdb': 'duckdb',
  '.sqlite': 'sqlite',
  '.sqlite3': 'sqlite',
  '.db': 'sqlite',
}
const notKnowledge = ['benchmarks', 'agents', 'reports', 'node_modules']
/** Folders below which a database file is looked for. */
const depth = 3

/**
 * Looks at a folder and returns the configuration and the first benchmark for it; writes nothing. Throws `usage` where there is a
 * configuration, where it is not clear which database is meant, and where nothing was found to answer from.
 *
 * @param engine URL of the database; undefined: the one database file
 */
export async function planProject(root: string, engine: string | undefined): Promise<ProjectPlan> {
  if (existsSync(join(root, 'autotest.config.yaml')))
    throw new AutotestError('usage', 'autotest.config.yaml exists: nothing was written', {
      hint: 'Run autotest, or autotest doctor.',
    })
  const found: string[] = []
  const url = engine ?? (await databaseOf(root))
  found.push(
    url === undefined ? 'no database file: queries are compared by structure only' : `database ${url}`,
  )
  const isNative = existsSync(join(root, 'kb', 'metrics'))
  const entries = isNative ? [] : await questionsOf(root, found)
  const sources = placesOf(entries.map(({ path }) => path))
  found.push(`knowledge ${isNative ? 'kb (native)' : sources.join(', ')}`)
  const files = [{ path: 'autotest.config.yaml', text: configText(url, isNative ? [] : sources) }]
  if (existsSync(join(root, 'benchmarks'))) found.push('benchmarks/ is kept as it is')
  else if (isNative)
    throw new AutotestError('usage', 'kb/ has metrics, and there is no benchmark: nothing was written', {
      hint: 'Write cases to benchmarks/ (docs/benchmark-files.md).',
    })
  else {
    const cases = withoutContradictions(entries, found)
    const path = 'benchmarks/imported.yaml'
    const text = importedText(cases)
    const checked = parseCases(new TextEncoder().encode(text), path)
    if (checked.kind === 'problems')
      throw new AutotestError('usage', `a case would not be valid: ${checked.problems[0]?.message ?? ''}`)
    found.push(`${checked.cases.length} questions with queries become ${path}`)
    files.push({ path, text })
  }
  return { found, files }
}

async function databaseOf(root: string): Promise<string | undefined> {
  const files = await databasesBelow(root, '', 0)
  const [only, another] = files
  if (another !== undefined)
    throw new AutotestError('usage', `there are several database files: ${files.slice(0, 5).join(', ')}`, {
      hint: 'Name the one that is meant with --engine.',
    })
  return only
}

async function databasesBelow(root: string, folder: string, at: number): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true })
  const found = await Promise.all(
    entries.map(async (entry): Promise<string[]> => {
      const path = posix.join(folder, entry.name)
      if (entry.isDirectory())
        return at >= depth || entry.name.startsWith('.') || skippedFolders.has(entry.name)
          ? []
          : databasesBelow(root, path, at + 1)
      const kind = entry.isFile() ? engines[extname(entry.name).toLowerCase()] : undefined
      return kind === undefined ? [] : [`${kind}:${path}`]
    }),
  )
  return found.flat().sort()
}

/** Returns the whole queries that have a question, and lists what was not read. */
async function questionsOf(root: string, found: string[]): Promise<KnowledgeEntry[]> {
  const sources = [{ path: '.', format: 'auto' }]
  const { snapshot } = await loadSnapshot(root, [], { sources, except: notKnowledge })
  const { entries, skipped } = openSources(snapshot, sources)
  const asked = entries.filter((entry) => isAnswering(entry) && entry.question !== undefined)
  const paths = new Set(asked.map(({ path }) => path))
  for (const { path, line, why } of skipped)
    if (paths.has(path)) found.push(`not read: ${path}:${line}: ${why}`)
  if (asked.length > 0) return asked
  throw new AutotestError('usage', 'no question with its query was found: nothing was written', {
    hint: 'Read are SQL in fences below a question in Markdown, and questions with queries in JSONL, JSON, CSV and YAML.',
  })
}

/** Returns the folder of several files, and a file that is alone in its folder. */
function placesOf(paths: readonly string[]): string[] {
  const files = [...new Set(paths)].sort()
  const isAlone = (path: string): boolean =>
    posix.dirname(path) === '.' ||
    files.filter((other) => posix.dirname(other) === posix.dirname(path)).length === 1
  return [...new Set(files.map((path) => (isAlone(path) ? path : posix.dirname(path))))]
}

/** Leaves out questions with two different queries: which one is right is not known. */
function withoutContradictions(entries: readonly KnowledgeEntry[], found: string[]): KnowledgeEntry[] {
  const byQuestion = new Map<string, KnowledgeEntry[]>()
  for (const entry of entries) {
    const key = (entry.question ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
    byQuestion.set(key, [...(byQuestion.get(key) ?? []), entry])
  }
  return [...byQuestion.values()].flatMap((same) => {
    const [first] = same
    const isOne = new Set(same.map(({ text }) => text.replaceAll(/\s+/g, ' ').trim())).size === 1
    if (isOne && first !== undefined) return [first]
    found.push(`no case: ${same.map(placeOf).join(' and ')} answer one question with different queries`)
    return []
  })
}
