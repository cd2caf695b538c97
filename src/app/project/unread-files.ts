import { type Dirent, readdirSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import type { Config } from '../../config/config.js'
import { listFiles } from '../../git/list-files.js'
import { defaultFormat } from '../../kb/default-format.js'
import type { KnowledgeBase } from '../../kb/entry.js'
import { parseKnowledgeBase } from '../../kb/parse.js'
import { plural } from '../../report/format-text.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { agentFiles, databaseFiles } from './checkout.js'

/** Files in a folder of the project that nothing reads. */
export interface UnreadFiles {
  /** Relative to the root. */
  readonly folder: string
  /** Relative to the root, sorted. */
  readonly paths: readonly string[]
  /** What is read there. */
  readonly reads: string
}

/** Documents about a folder, for people who open it. */
const aboutFolder = /^(readme|licen[cs]e|notice|changelog|contributing)(\.\w+)?$/iu
const shown = 3

/** Returns the files of a knowledge base that its format does not read; undefined if there are none. */
export async function unreadKnowledge(config: Config, snapshot: Snapshot): Promise<UnreadFiles | undefined> {
  const read = new Set(pathsRead(parseKnowledgeBase(snapshot, config.kb)))
  return unreadBelow(config.kb, config, [...config.benchmarks, config.agents], defaultFormat.places, (path) =>
    read.has(path),
  )
}

/** Returns the files of a knowledge base that the agent cannot read; undefined if there are none. */
export async function unreadByAgent(config: Config, snapshot: Snapshot): Promise<UnreadFiles | undefined> {
  switch (config.agent.kind) {
    case 'template':
    case 'llm':
      return unreadKnowledge(config, snapshot)
    case 'module':
    case 'command':
    case 'http': {
      const others = [...config.benchmarks, config.agents]
      return unreadBelow(config.kb, config, others, 'the agent is given *.yaml, *.sql and *.md', (path) =>
        snapshot.files.has(path),
      )
    }
    case 'knowledge':
    case 'subagent':
      return undefined
  }
}

/** Returns the files of the benchmark's folders that hold no cases; undefined if there are none. */
export async function unreadBenchmark(config: Config): Promise<UnreadFiles | undefined> {
  const others = [config.kb, config.agents]
  const found = await Promise.all(
    config.benchmarks.map((folder) =>
      unreadBelow(folder, config, others, 'cases are in *.yaml and *.yml', (path) => /\.ya?ml$/u.test(path)),
    ),
  )
  const all = found.filter((each) => each !== undefined)
  const [first] = all
  return first && { ...first, paths: [...new Set(all.flatMap(({ paths }) => paths))].sort() }
}

/** Returns `benchmarks: 4 files are not read: a.json, b.csv, c.txt and 1 more (cases are in *.yaml and *.yml)`. */
export function describeUnread({ folder, paths, reads }: UnreadFiles): string {
  const more = paths.length > shown ? ` and ${paths.length - shown} more` : ''
  const verb = paths.length === 1 ? 'is' : 'are'
  return `${folder}: ${plural(paths.length, 'file')} ${verb} not read: ${paths.slice(0, shown).join(', ')}${more} (${reads})`
}

function pathsRead({ metrics, broken, snippets, notes, problems }: KnowledgeBase): string[] {
  return [
    ...[...metrics, ...snippets.values(), ...notes, ...problems].map(({ path }) => path),
    ...broken.map(({ metric, problem }) => metric?.path ?? problem.path),
  ]
}

/**
 * Returns the files below a folder that are not read. What git ignores is no source; what the configuration names has
 * another reader; a folder with the configuration in it is the whole project, and says nothing about its files.
 */
async function unreadBelow(
  folder: string,
  config: Config,
  others: readonly string[],
  reads: string,
  isRead: (path: string) => boolean,
): Promise<UnreadFiles | undefined> {
  const { root, fixture } = config
  const own = relative(root, resolve(root, folder)).split(sep).join('/')
  if (own === '' || own.startsWith('..')) return undefined
  const named = [...others, ...agentFiles(config), ...databaseFiles(config), fixture]
    .flatMap((path) => (path === undefined ? [] : [relative(root, resolve(root, path)).split(sep).join('/')]))
    .filter((path) => path.startsWith(`${own}/`))
  const unread = filesBelow(root, own).filter(
    (path) =>
      !isRead(path) &&
      !aboutFolder.test(basename(path)) &&
      !named.some((other) => path === other || path.startsWith(`${other}/`) || path.startsWith(`${other}.`)),
  )
  if (unread.length === 0) return undefined
  const sources = await listFiles(join(root, own))
  const known = sources && new Set(sources.map((path) => `${own}/${path}`))
  const paths = unread.filter((path) => known?.has(path) !== false)
  return paths.length === 0 ? undefined : { folder: own, paths, reads }
}

/** Returns regular files that are not hidden; none of a folder that is not there. */
function filesBelow(root: string, folder: string): string[] {
  let entries: Dirent[]
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true })
  } catch {
    // Why a folder cannot be read is reported by what reads it.
    return []
  }
  return entries
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return filesBelow(root, path)
      return entry.isFile() ? [path] : []
    })
    .sort()
}
