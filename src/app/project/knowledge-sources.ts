import type { Config } from '../../config/config.js'
import { AutotestError } from '../../errors.js'
import type { KnowledgeEntry } from '../../kb/entries/entry-format.js'
import { isAnswering, placeOf } from '../../kb/nearest/nearest-entry.js'
import { entriesOf } from '../../kb/parse.js'
import { plural } from '../../report/format-text.js'
import type { Snapshot } from '../../snapshot/snapshot.js'

const shown = 10

/** Names questions that two entries answer with different queries: none of them is answered from. */
function contradictions(entries: readonly KnowledgeEntry[]): string[] {
  const first = new Map<string, KnowledgeEntry>()
  return entries.flatMap((entry) => {
    const key = (entry.question ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
    const known = first.get(key)
    if (known === undefined) first.set(key, entry)
    if (known === undefined || plain(known.text) === plain(entry.text)) return []
    return [`${placeOf(entry)}: its question has another query at ${placeOf(known)}`]
  })
}

function plain(sql: string): string {
  return sql.replace(/;\s*$/, '').replaceAll(/\s+/g, ' ').trim().toLowerCase()
}

/**
 * Returns lines for people about the sources in other formats: what was read, parts that were not, each with its line and the
 * reason, and whether an agent may see what it is asked for. Throws `kb_missing` if autotest's own agent would have nothing to answer from.
 */
export function describeSources(snapshot: Snapshot, config: Config): string[] {
  if (config.sources.length === 0) return []
  const { entries, skipped, taken, left } = entriesOf(snapshot)
  const places = config.sources.map(({ path }) => path).join(', ')
  const queries = entries.filter(isAnswering)
  const asked = queries.filter(({ question }) => question !== undefined)
  if (config.agent.kind === 'knowledge' && queries.length === 0)
    throw new AutotestError('kb_missing', `${places}: no query was found to answer from`, {
      hint: `Read are SQL in fences of Markdown files and questions with their queries in JSONL, JSON, CSV and YAML; ${left[0] === undefined ? 'autotest check says what was read' : `${left[0].path}: ${left[0].why}`}.`,
    })
  const files = taken.filter(({ path }) => entries.some((entry) => entry.path === path))
  const counts = `${places}: ${plural(queries.length, 'query').replace(/querys$/, 'queries')} of ${plural(files.length, 'file')}, ${asked.length} with a question`
  const parts = [
    ...skipped.map(({ path, line, why }) => `${path}:${line}  not read: ${why}`),
    ...left.map(({ path, why }) => `${path}: not read: ${why}`),
    ...taken
      .filter(({ reason }) => /would read it, too/.test(reason))
      .map(({ path, format, reason }) => `${path}: read as ${format}: ${reason}`),
  ]
  parts.push(...contradictions(asked))
  const more = parts.length > shown ? [`and ${parts.length - shown} more (autotest check)`] : []
  const elsewhere =
    config.agent.kind === 'knowledge'
      ? []
      : [
          'while a case is asked, its own entries are left out of the files that the agent is given; an agent that reads them elsewhere sees them',
        ]
  return [counts, ...parts.slice(0, shown), ...more, ...elsewhere]
}
