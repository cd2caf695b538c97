import type { KnowledgeBase, Note } from '../entry.js'
import { positionOf } from '../snippet-check.js'
import { codeSpans } from './code-spans.js'
import type { Contradiction } from './contradiction.js'
import { demandsAgainst } from './demands.js'
import { equalitiesIn } from './equalities.js'
import { namesAgainst, sumsAgainst } from './names.js'
import { operatorsAgainst } from './operators.js'
import { promisesAgainst } from './promises.js'
import { remarksOf } from './remarks.js'
import { boundsAgainst, knownTexts, valuesAgainst } from './values.js'

export type { Contradiction } from './contradiction.js'

/**
 * Where notes, titles and comments say other than the queries do, as far as that can be shown: by a name, an operator,
 * a text or a day that both hold. What is merely said in other words is left to readers. `changed` names the files that
 * an edit was made in: only what is said of them is looked at, beside the conditions of notes.
 */
export function contradictionsIn(
  kb: KnowledgeBase,
  textOf: (path: string) => string,
  changed?: ReadonlySet<string>,
): Contradiction[] {
  const known = knownTexts(kb)
  const conditions = conditionsOf(kb)
  const found = remarksOf(changed === undefined ? kb : partOf(kb, changed), textOf).flatMap((remark) => {
    const place = `${remark.path}:${positionOf(textOf(remark.path), remark.start).line}`
    return [
      ...namesAgainst(remark, place),
      ...sumsAgainst(remark, place),
      ...operatorsAgainst(remark),
      ...valuesAgainst(remark, known),
      ...boundsAgainst(remark),
      ...demandsAgainst(remark, place),
      ...promisesAgainst(remark, kb),
    ]
  })
  // Metrics may share a snippet, and a comment of it is one remark; their titles are their own.
  return distinct([...kb.notes.flatMap((note) => otherConditions(note, conditions)), ...found])
}

/** The changed snippets and metrics, each with what belongs to it; all notes. */
function partOf(kb: KnowledgeBase, changed: ReadonlySet<string>): KnowledgeBase {
  const isChanged = (name: string): boolean => changed.has(kb.snippets.get(name)?.path ?? '')
  const metrics = kb.metrics.filter(({ path, snippet }) => changed.has(path) || isChanged(snippet))
  const used = new Set(metrics.map(({ snippet }) => snippet))
  const snippets = [...kb.snippets].filter(([name]) => used.has(name) || isChanged(name))
  return { ...kb, metrics, snippets: new Map(snippets) }
}

function distinct(found: readonly Contradiction[]): Contradiction[] {
  return [...new Map(found.map((each) => [`${each.path}\0${each.offset}\0${each.message}`, each])).values()]
}

/** Column (folded, unqualified) → the texts that queries compare it with, each with the snippets that do. */
type Conditions = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

function conditionsOf(kb: KnowledgeBase): Conditions {
  const found = new Map<string, Map<string, string[]>>()
  for (const { name, text } of kb.snippets.values()) {
    for (const { column, value } of equalitiesIn(text)) {
      const values = found.get(column) ?? new Map<string, string[]>()
      found.set(column, values)
      values.set(value, [...(values.get(value) ?? []), name])
    }
  }
  return found
}

/** A condition that a note states, where every query that tests the column tests it for something else. */
function otherConditions(note: Note, conditions: Conditions): Contradiction[] {
  return codeSpans(note.text).flatMap(({ code, offset }) =>
    equalitiesIn(code).flatMap(({ column, value }): Contradiction[] => {
      const written = conditions.get(column)
      if (written === undefined || written.has(value)) return []
      const says = [...written].map(([other, names]) => `'${other}' in ${names.slice(0, 3).join(', ')}`)
      const message = `says \`${column} = '${value}'\`, but no query does: it is ${says.slice(0, 3).join('; ')}`
      return [{ path: note.path, offset, message }]
    }),
  )
}
