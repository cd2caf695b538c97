import { stringify } from 'yaml'
import type { KnowledgeEntry } from '../../kb/entries/entry-format.js'
import { placeOf } from '../../kb/nearest/nearest-entry.js'

const longestId = 60

/** Returns the text of a configuration, with what each key is for. */
export function configText(engine: string | undefined, sources: readonly string[]): string {
  const kb = sources.length === 1 ? sources[0] : sources
  return [
    '# Written by autotest init. All keys: docs/configuration.md',
    ...(sources.length === 0
      ? []
      : ['# What is known: answers come from here, and repairs change nothing else.']),
    ...(sources.length === 0 ? [] : [stringify({ kb }, { lineWidth: 0 }).trimEnd()]),
    '# The cases: questions with the queries that answer them.',
    'benchmarks: benchmarks',
    ...(engine === undefined
      ? [
          '# Without a database queries are compared by structure only.',
          '# engine: duckdb:data/warehouse.duckdb',
        ]
      : ['# Opened read-only.', stringify({ engine }, { lineWidth: 0 }).trimEnd()]),
    '# Your own agent in place of the built-in one: docs/agents.md',
    '# agent: { kind: command, run: python3 agent.py }',
    '',
  ].join('\n')
}

/** Returns a benchmark file with these questions and their queries. */
export function importedText(entries: readonly KnowledgeEntry[]): string {
  const ids = new Set<string>()
  const cases = entries.map((entry) => {
    const { question = '', text } = entry
    const body = stringify(
      [
        {
          id: freeId(entry, ids),
          question,
          expected_sql: text.includes('\n') ? `${text.trimEnd()}\n` : text,
        },
      ],
      { lineWidth: 0 },
    )
    return `  # ${placeOf(entry)}\n${body.trimEnd().replaceAll(/^(?=.)/gm, '  ')}\n`
  })
  return `# Imported by autotest init. Each case has its own entry in the knowledge, which is hidden while it is asked: add cases with
# other values, so that more of them can be asked honestly.
cases:
${cases.join('')}`
}

/** Returns a name made of the question's words that no other case has. */
function freeId({ name, question = '' }: KnowledgeEntry, ids: Set<string>): string {
  const words = (name ?? question).toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  let first = ''
  for (const word of words) {
    if (first.length + word.length >= longestId) break
    first += first === '' ? word : `_${word}`
  }
  if (first === '') first = 'case'
  let id = first
  for (let count = 2; ids.has(id); count++) id = `${first}_${count}`
  ids.add(id)
  return id
}
