import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import { containsWords } from '../../../../../kb/words/contains-words.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { newWords } from '../../model/new-words.js'
import { knowledgeBaseOf, type RepairContext, snippetOf, tablesOf } from '../../model/repair-context.js'
import type { RepairPlan } from '../../model/sql-repair-types.js'

/**
 * Returns new words that already name something else of the data, a table, a column or a value of another parameter,
 * and that one case alone supports.
 */
export function checkOtherMeanings(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  const kb = knowledgeBaseOf(snapshot, context)
  const after = knowledgeBaseOf(candidate, context)
  return newWords(plan, snapshot, candidate, after, context).flatMap(({ word, metric, parameter }) => {
    if (plan.cases.filter(({ question }) => containsWords(question, word)).length > 1) return []
    const meaning = otherMeaning(word, metric, parameter, kb, plan, context)
    return meaning === undefined ? [] : [`only one case supports "${word}", which is also ${meaning}`]
  })
}

function otherMeaning(
  word: string,
  metric: Metric,
  parameter: string | undefined,
  kb: KnowledgeBase,
  plan: RepairPlan,
  context: RepairContext,
): string | undefined {
  const same = (other: string): boolean => singular(other) === singular(word)
  if (parameter !== undefined) {
    const other = kb.metrics
      .flatMap(({ parameters }) => [...parameters])
      .find(([name, declared]) => name !== parameter && valuesOf(declared).some(same))
    return other && `a value of ${other[0]}`
  }
  const table = [...kb.snippets.values()]
    .flatMap((snippet) => tablesOf(snippet, context))
    .find((name) => same(name.split('.').at(-1) ?? ''))
  if (table !== undefined) return isCountOf(metric, kb) ? undefined : `the table ${table}`
  // The entry itself is called so.
  if (same(metric.name)) return undefined
  const [testCase] = plan.cases
  const schema = testCase && context.schemaOf?.(testCase)
  const column = [...(schema?.tables.values() ?? [])].find(({ columns }) => [...columns.keys()].some(same))
  return column && `a column of ${column.name}`
}

/** Reports whether a metric counts rows: then its table's name is what it counts. */
function isCountOf(metric: Metric, kb: KnowledgeBase): boolean {
  return /^\s*(?:--.*\n\s*)*select\s+(?:[\w.]+\s*,\s*)*count\s*\(/iu.test(snippetOf(metric, kb)?.text ?? '')
}

function valuesOf(
  parameter: Metric['parameters'] extends ReadonlyMap<string, infer P> ? P : never,
): string[] {
  if (parameter.type === 'enum') return [...parameter.values].flatMap(([code, words]) => [code, ...words])
  return parameter.type === 'choice'
    ? [...parameter.values].flatMap(([name, { aliases }]) => [name, ...aliases])
    : []
}

/** Returns a name in lower case, with spaces for underscores, without the s of a plural. */
function singular(name: string): string {
  return name
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(/(?<=\p{L}{2})s$/u, '')
}
