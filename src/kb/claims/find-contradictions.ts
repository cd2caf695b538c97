import type { KnowledgeBase, Note } from '../entry.js'
import { positionOf } from '../snippet-check.js'
import { codeSpans } from './code-spans.js'
import type { Contradiction } from './contradiction.js'
import { collectRemarks } from './documentation-remarks.js'
import { findEqualities } from './equalities.js'
import { findForbiddenSums, findNameMismatches } from './name-mismatch.js'
import { findOperatorMismatches } from './operator-mismatch.js'
import { findRequiredFilterMismatches } from './required-filter-mismatch.js'
import { findTitleMismatches } from './title-mismatch.js'
import { findBoundMismatches, findValueMismatches, knownValues } from './value-mismatch.js'

export type { Contradiction } from './contradiction.js'

/**
 * Finds statements in notes, titles and comments that contradict the queries, as far as a name, an operator,
 * a string or a day in both shows it. Different wording of the same fact is left to readers. `changed` lists
 * the files that were edited: only statements about them are checked, and the conditions of notes.
 */
export function findContradictions(
  kb: KnowledgeBase,
  textOf: (path: string) => string,
  changed?: ReadonlySet<string>,
): Contradiction[] {
  const known = knownValues(kb)
  const conditions = conditionsOf(kb)
  const found = collectRemarks(changed === undefined ? kb : changedSubset(kb, changed), textOf).flatMap(
    (remark) => {
      const place = `${remark.path}:${positionOf(textOf(remark.path), remark.start).line}`
      return [
        ...findNameMismatches(remark, place),
        ...findForbiddenSums(remark, place),
        ...findOperatorMismatches(remark),
        ...findValueMismatches(remark, known),
        ...findBoundMismatches(remark),
        ...findRequiredFilterMismatches(remark, place),
        ...findTitleMismatches(remark, kb),
      ]
    },
  )
  // Metrics may share a snippet, and a comment in it is one remark; each title is its own remark.
  return distinct([...kb.notes.flatMap((note) => noteConditionMismatches(note, conditions)), ...found])
}

/** Returns the changed snippets and metrics, each with its related entries, and all notes. */
function changedSubset(kb: KnowledgeBase, changed: ReadonlySet<string>): KnowledgeBase {
  const isChanged = (name: string): boolean => changed.has(kb.snippets.get(name)?.path ?? '')
  const metrics = kb.metrics.filter(({ path, snippet }) => changed.has(path) || isChanged(snippet))
  const used = new Set(metrics.map(({ snippet }) => snippet))
  const snippets = [...kb.snippets].filter(([name]) => used.has(name) || isChanged(name))
  return { ...kb, metrics, snippets: new Map(snippets) }
}

function distinct(found: readonly Contradiction[]): Contradiction[] {
  return [...new Map(found.map((each) => [`${each.path}\0${each.offset}\0${each.message}`, each])).values()]
}

/**
 * Column (folded, unqualified) → the strings that queries compare it with, each with the snippets that do.
 */
type Conditions = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

function conditionsOf(kb: KnowledgeBase): Conditions {
  const found = new Map<string, Map<string, string[]>>()
  for (const { name, text } of kb.snippets.values()) {
    for (const { column, value } of findEqualities(text)) {
      const values = found.get(column) ?? new Map<string, string[]>()
      found.set(column, values)
      values.set(value, [...(values.get(value) ?? []), name])
    }
  }
  return found
}

/** Reports conditions stated by a note if every query that tests the column tests it for another value. */
function noteConditionMismatches(note: Note, conditions: Conditions): Contradiction[] {
  return codeSpans(note.text).flatMap(({ code, offset }) =>
    findEqualities(code).flatMap(({ column, value }): Contradiction[] => {
      const written = conditions.get(column)
      if (written === undefined || written.has(value)) return []
      const says = [...written].map(([other, names]) => `'${other}' in ${names.slice(0, 3).join(', ')}`)
      const message = `says \`${column} = '${value}'\`, but no query has it: it is ${says.slice(0, 3).join('; ')}`
      return [{ path: note.path, offset, message }]
    }),
  )
}
