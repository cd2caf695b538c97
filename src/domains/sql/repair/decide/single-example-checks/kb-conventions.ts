import { maskStringsAndComments } from '../../../../../kb/claims/mask-sql.js'
import type { KnowledgeBase, Snippet } from '../../../../../kb/entry.js'
import { readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import { changedQueries } from '../../model/changed-queries.js'
import { documentationWarnings } from '../../model/documentation-warnings.js'
import { onlyRestoresLines } from '../../model/removed-lines.js'
import { knowledgeBaseOf, type RepairContext, tablesOf } from '../../model/repair-context.js'
import type { RepairPlan } from '../../model/sql-repair-types.js'
import { columnComparisons, periodBoundColumns } from './column-comparisons.js'
import { checkDocumentedNames } from './documented-names.js'
import { coversWords } from './metric-vocabulary.js'
import { weakenedParameters } from './weakened-parameters.js'

/**
 * Reports changes that rest on a single case and contradict the rest of the knowledge base: a removed
 * condition that other snippets of the table share, or one that notes, titles or comments mention. A mistaken
 * expected query looks just like that. Restoring lines that the file once had is not reported.
 */
export function checkConventions(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  if (plan.cases.length > 1) return []
  const isRestored = plan.isRestored === true
  const strange = changedQueries(snapshot, candidate, context).filter(
    (query) => isRestored || !onlyRestoresLines(query, context),
  )
  if (strange.length === 0) return []
  const after = knowledgeBaseOf(candidate, context)
  return [
    ...strange.flatMap((query) => weakenedParameters(query, context)),
    ...strange.flatMap(({ before: old, after: now }) => {
      if (old === undefined || now === undefined) return []
      return [
        ...splitPeriods(old, now),
        ...droppedConditions(old, now, after, context),
        ...droppedNamedConditions(old, now, after),
        ...(isRestored ? unusedTables(old, now, after, context) : addedTables(old, now, after, context)),
      ]
    }),
    ...documentationWarnings(snapshot, candidate, context).map(
      (warning) => `only one case supports the change, although ${warning}`,
    ),
    ...strange.flatMap((query) =>
      checkDocumentedNames(query, after, (file) => readText(candidate, file) ?? ''),
    ),
  ]
}

/** Reports periods whose bounds were compared with one column and now are with two. */
function splitPeriods(old: Snippet, now: Snippet): string[] {
  const before = periodBoundColumns(columnComparisons(old))
  return [...periodBoundColumns(columnComparisons(now))]
    .filter(([parameter, columns]) => columns.size > 1 && before.get(parameter)?.size === 1)
    .map(([parameter]) => `only one case supports comparing ${parameter} with two columns in ${now.path}`)
}

function droppedConditions(old: Snippet, now: Snippet, kb: KnowledgeBase, context: RepairContext): string[] {
  const tables = new Set([...tablesOf(old, context), ...tablesOf(now, context)])
  const others = [...kb.snippets.values()].filter(
    (snippet) => snippet.path !== now.path && tablesOf(snippet, context).some((table) => tables.has(table)),
  )
  const [had, has] = [columnComparisons(old), columnComparisons(now)]
  const sharing = (condition: string): Snippet[] =>
    others.filter((snippet) => columnComparisons(snippet).some(({ key }) => key === condition))
  return had.flatMap(({ key, column, value, text }) => {
    if (has.some((one) => one.key === key)) return []
    const sharers = sharing(key)
    // A replacement that as many snippets have is just as usual.
    const instead = has.filter(
      (one) => (one.column === column || one.value === value) && !had.some((other) => other.key === one.key),
    )
    const isUsual = instead.some((one) => sharing(one.key).length >= sharers.length)
    const [sharer] = sharers
    if (sharer === undefined || isUsual) return []
    return [`only one case supports removing ${text} from ${now.path}, although ${sharer.path} has it`]
  })
}

/** Words of columns that many conditions use and that are not characteristic of a metric. */
const genericColumnWords: ReadonlySet<string> = new Set(
  'type status state date time code name flag kind'.split(' '),
)

/**
 * Reports removed conditions whose column the metric is named after: `is_partner = 1` of "Revenue of partner
 * carriers".
 */
function droppedNamedConditions(old: Snippet, now: Snippet, kb: KnowledgeBase): string[] {
  const columns = new Set(columnComparisons(now).map(({ column }) => column))
  const metrics = kb.metrics.filter(({ snippet }) => snippet === now.name)
  return columnComparisons(old).flatMap(({ column, text }) => {
    if (columns.has(column) || isCompared(column, now)) return []
    const words = column.split('_').filter((word) => word.length > 3 && !genericColumnWords.has(word))
    const said = words.find((word) =>
      metrics.some((metric) => coversWords([metric.name, metric.title, ...metric.aliases], word)),
    )
    if (said === undefined) return []
    return [
      `only one case supports removing ${text} from ${now.path}, although "${said}" in the metric's names implies it`,
    ]
  })
}

/** Reports whether the column is compared in another way: inside a cast, or without it. */
function isCompared(column: string, { text }: Snippet): boolean {
  const bare = maskStringsAndComments(text)
  const within = String.raw`(?<!\w)${column}\b[^()]*\)\s*(?:[<>=!]|between\b|in\b|is\b|like\b)`
  const alone = String.raw`(?<!\w)${column}\s*(?:[<>=!]|between\b|in\b|is\b|like\b)`
  return new RegExp(`${within}|${alone}`, 'iu').test(bare)
}

/**
 * Reports tables that no other snippet reads any more, in place of some that others read: they were replaced.
 */
function unusedTables(old: Snippet, now: Snippet, kb: KnowledgeBase, context: RepairContext): string[] {
  const [had, has] = [tablesOf(old, context), tablesOf(now, context)]
  const [gone, back] = [
    had.filter((table) => !has.includes(table)),
    has.filter((table) => !had.includes(table)),
  ]
  const readElsewhere = (table: string): boolean =>
    [...kb.snippets.values()].some(
      (snippet) => snippet.path !== now.path && tablesOf(snippet, context).includes(table),
    )
  if (!gone.some(readElsewhere)) return []
  const [table] = back.filter((each) => !readElsewhere(each))
  return table === undefined
    ? []
    : [`only one case supports reading ${table} in ${now.path}, and no other snippet reads it`]
}

/**
 * Reports added tables. A further table only multiplies rows or removes some; a mistaken query has one too
 * many more often than a snippet has one too few.
 */
function addedTables(old: Snippet, now: Snippet, kb: KnowledgeBase, context: RepairContext): string[] {
  const [had, has] = [tablesOf(old, context), tablesOf(now, context)]
  const added = [...new Set(has)].filter((table) => !had.includes(table))
  if (added.length === 0 || had.some((table) => !has.includes(table))) return []
  const isUsual = [...kb.snippets.values()].some((snippet) => {
    const read = tablesOf(snippet, context)
    return snippet.path !== now.path && has.every((table) => read.includes(table))
  })
  return isUsual ? [] : [`only one case supports reading ${added.join(' and ')} too in ${now.path}`]
}
