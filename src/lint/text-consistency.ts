import type { Catalogue } from '../engine/contract/engine.js'
import { codeSpans } from '../kb/claims/code-spans.js'
import { findContradictions } from '../kb/claims/find-contradictions.js'
import type { KnowledgeBase, Note } from '../kb/entry.js'
import { positionOf } from '../kb/snippet-check.js'
import { nearest } from '../text/nearest-word.js'
import type { LintFinding } from './finding.js'

/**
 * Returns findings about notes and titles that name nothing in the SQL or the tables, or contradict the
 * queries.
 */
export function textConsistencyFindings(
  kb: KnowledgeBase,
  catalogue: Catalogue | undefined,
  textOf: (path: string) => string,
): LintFinding[] {
  const names = catalogue === undefined ? undefined : namesOf(kb, catalogue)
  const contradictions = findContradictions(kb, textOf).map(
    ({ path, offset, message }): LintFinding => ({
      rule: 'text_contradicts_sql',
      severity: 'warning',
      path,
      ...positionOf(textOf(path), offset),
      message,
      hint: 'Correct the text or the query, whichever is wrong.',
    }),
  )
  return [
    ...(names === undefined ? [] : kb.notes.flatMap((note) => unknownNames(note, names))),
    ...contradictions,
  ]
}

interface Names {
  /** Tables (bare and qualified), columns, entries and strings of the queries, folded. */
  readonly known: ReadonlySet<string>
}

function namesOf(kb: KnowledgeBase, { tables }: Catalogue): Names {
  const known = new Set<string>()
  const add = (name: string): void => void known.add(name.toLowerCase())
  for (const { name, columns } of tables) {
    add(name)
    for (const part of name.split('.')) add(part)
    for (const column of columns) {
      add(column.name)
      add(`${name}.${column.name}`)
      add(`${name.split('.').at(-1)}.${column.name}`)
    }
  }
  for (const { name, parameters } of kb.metrics) for (const word of [name, ...parameters.keys()]) add(word)
  for (const { name, text } of kb.snippets.values()) {
    add(name)
    add(name.replace(/\.sql$/i, ''))
    // Strings, aliases and common table expressions of the queries are names that a note may use too.
    for (const [word] of text.matchAll(/\w+/g)) add(word)
  }
  return { known }
}

/** Matches a word that only an identifier looks like: `is_test`, `commerce.orders_v1`. */
const nameLike = /^(?:[a-z]\w*\.){0,2}[a-z]\w*$/i

function unknownNames(note: Note, { known }: Names): LintFinding[] {
  return codeSpans(note.text).flatMap(({ code, offset }): LintFinding[] => {
    if (!nameLike.test(code) || !/[._]/.test(code) || known.has(code.toLowerCase())) return []
    const meant = nearest(code, known)
    return [
      {
        rule: 'unknown_name',
        severity: 'warning',
        path: note.path,
        ...positionOf(note.text, offset),
        message: `\`${code}\` is not a table, column or entry`,
        hint: meant === undefined ? 'Correct the note, or add what it names.' : `did you mean \`${meant}\`?`,
      },
    ]
  })
}
