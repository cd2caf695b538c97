import type { Edit } from '../../../../../edit/edit-types.js'
import type { Metric, Snippet } from '../../../../../kb/entry.js'
import { containsWords } from '../../../../../kb/words/contains-words.js'
import { readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import { areEquivalent } from '../../../../../sql/index.js'
import type { ChangedKnowledge } from '../../model/knowledge-history.js'
import {
  interpretationOf,
  knowledgeBaseOf,
  type RepairContext,
  renderQuery,
  snippetOf,
} from '../../model/repair-context.js'
import type { RestoreContext } from '../../model/scoring-context.js'
import type { RepairPlan } from '../../model/sql-repair-types.js'

/** Evidence that changes were made on purpose. */
export interface IntentEvidence {
  /** Why the cases are suspect, however many of them ask to undo the changes. */
  readonly suspect?: string | undefined
  /** Concerns if a single case asks to undo the changes. */
  readonly concerns: readonly string[]
}

/**
 * Collects evidence that changes of an entry were intended: that each of them also gave other cases of the
 * metric another query, moved what it removed to another metric, changed a snippet whose cases pass in the
 * same way, or described its purpose in words.
 *
 * @param undoes the changes that a plan reverts: `commit 1a2b3c4`
 * @param candidate the knowledge base with the plan
 */
export async function findIntentEvidence(
  undoes: readonly string[],
  plan: RepairPlan,
  metric: Metric,
  snapshot: Snapshot,
  candidate: Snapshot,
  input: RestoreContext,
): Promise<IntentEvidence> {
  // A deleted metric has a meaning only with the plan.
  const kbs = [snapshot, candidate].map((each) => knowledgeBaseOf(each, input))
  const [path = ''] = plan.edits.map((edit) => edit.path)
  const concerns: string[] = []
  const [deletion] = undoes
  if (deletion !== undefined && plan.edits.some(isCreation))
    for (const text of await notesAddedSince(deletion, metric, snapshot, input))
      concerns.push(`only one case supports restoring it, and since ${deletion} a note says: "${text}"`)
  for (const by of undoes) {
    const cases = (await input.history?.casesChangedBy(by)) ?? []
    const said = `it expects ${path} as it was before ${by}, which`
    const of = cases.find((one) =>
      kbs.some((kb) => interpretationOf(one, kb, input).metric?.id === metric.id),
    )
    if (of !== undefined) {
      const isThere = input.benchmark.some(({ id }) => id === of.id)
      const what = isThere ? `also changed the expected query of ${of.id}` : `removed case ${of.id}`
      return { suspect: `${said} ${what}`, concerns }
    }
    const changed = ((await input.history?.knowledgeChangedBy(by)) ?? []).map((each) => ({
      ...each,
      // Later text is no part of the change, and deleted text is no evidence.
      after: each.after ?? readText(snapshot, each.path) ?? '',
    }))
    const moved = metricsWithSameQuery(plan, candidate, input).find(({ snippet }) =>
      changed.some((each) => each.path === snippet.path && each.after !== each.before),
    )
    if (moved !== undefined) return { suspect: `${said} moved that to metric ${moved.metric}`, concerns }
    concerns.push(
      ...replacements(changed, plan, snapshot, candidate, input).map(
        ([lost, now]) => `only one case supports restoring ${lost}, which ${by} replaced with ${now}`,
      ),
      ...sameChangeElsewhere(changed, path, snapshot, input).map(
        (other) => `only one case supports undoing ${by}, which changed ${other} in the same way`,
      ),
      ...commentsOnChange(changed, path, metric, snapshot, input).map(
        (text) => `only one case supports undoing ${by}, which documents the change: "${text}"`,
      ),
    )
  }
  return { concerns }
}

/**
 * Returns other metrics whose snippet gives, for the first case of a plan, the query that the plan gives its
 * own metric.
 */
export function metricsWithSameQuery(
  plan: RepairPlan,
  candidate: Snapshot,
  context: RepairContext,
): { readonly metric: string; readonly snippet: Snippet }[] {
  const kb = knowledgeBaseOf(candidate, context)
  const [testCase] = plan.cases
  const meaning = testCase && interpretationOf(testCase, kb, context)
  if (meaning?.kind !== 'bound') return []
  const own = snippetOf(meaning.metric, kb)
  const { parser, dialect } = context
  const sql = renderQuery(meaning.metric, meaning.bindings, kb, context)
  return kb.metrics.flatMap((metric) => {
    const snippet = snippetOf(metric, kb)
    if (sql === undefined || snippet === undefined || snippet.name === own?.name) return []
    const other = renderQuery(metric, meaning.bindings, kb, context)
    const isSame = other !== undefined && areEquivalent(parser, sql, other, dialect)
    return isSame ? [{ metric: metric.name, snippet }] : []
  })
}

interface Change extends ChangedKnowledge {
  readonly after: string
}

/**
 * Returns the files that a plan restores, each with a file that the deleting change created with most of its
 * lines.
 */
function replacements(
  changed: readonly Change[],
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): (readonly [string, string])[] {
  const queries = [...knowledgeBaseOf(candidate, context).snippets.values()]
  const isQuery = (file: string): boolean => queries.some((query) => query.path === file)
  return plan.edits.filter(isCreation).flatMap(({ path }) => {
    const lost = changed.find((each) => each.path === path)
    const had = linesOf(lost?.before ?? '')
    const now = changed.find((each) => {
      if (each.before !== undefined || isQuery(each.path) !== isQuery(path)) return false
      const has = new Set(linesOf(readText(snapshot, each.path) ?? ''))
      return 2 * had.filter((line) => has.has(line)).length > had.length
    })
    return now === undefined || lost === undefined ? [] : [[path, now.path] as const]
  })
}

/**
 * Returns other snippets in which a change removed and added the same lines as in this one, and of which a
 * case passes.
 */
function sameChangeElsewhere(
  changed: readonly Change[],
  path: string,
  snapshot: Snapshot,
  input: RestoreContext,
): string[] {
  const kb = knowledgeBaseOf(snapshot, input)
  const own = changed.find((each) => each.path === path)
  if (own === undefined) return []
  const [out, into] = changedLines(own)
  return changed
    .filter((other) => {
      if (other.path === path || other.before === undefined) return false
      const [otherOut, otherInto] = changedLines(other)
      return overlaps(out, otherOut) && overlaps(into, otherInto) && (out.size > 0 || into.size > 0)
    })
    .map((other) => other.path)
    .filter((other) =>
      [...input.current.values()].some(({ testCase, score }) => {
        const meaning = interpretationOf(testCase, kb, input)
        return (
          score.verdict === 'pass' &&
          meaning.kind === 'bound' &&
          snippetOf(meaning.metric, kb)?.path === other
        )
      }),
    )
}

/** Returns the lines that a change removed and those that it added. */
function changedLines({ before = '', after }: Change): [Set<string>, Set<string>] {
  const [had, has] = [linesOf(before), linesOf(after)]
  const only = (lines: readonly string[], others: readonly string[]): Set<string> =>
    new Set(lines.filter((line) => !others.includes(line)))
  return [only(had, has), only(has, had)]
}

function overlaps(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return some.size === 0 ? others.size === 0 : [...some].some((line) => others.has(line))
}

/** Returns today's text about the metric that a change wrote: comments, titles, notes. */
function commentsOnChange(
  changed: readonly Change[],
  path: string,
  metric: Metric,
  snapshot: Snapshot,
  context: RepairContext,
): string[] {
  const notes = new Set(knowledgeBaseOf(snapshot, context).notes.map((note) => note.path))
  return changed.flatMap((change) => {
    const today = new Set(linesOf(readText(snapshot, change.path) ?? ''))
    const [, written] = changedLines(change)
    return [...written].filter((line) => {
      if (!today.has(line)) return false
      if (!notes.has(change.path))
        return [path, metric.path].includes(change.path) && /^(?:--|#|(?:title|description)\s*:)/u.test(line)
      return isAbout(line, metric)
    })
  })
}

/**
 * Returns the lines that notes gained about a metric since it was deleted; the deleting change's own words
 * are covered by `commentsOnChange`.
 */
async function notesAddedSince(
  deletion: string,
  metric: Metric,
  snapshot: Snapshot,
  input: RestoreContext,
): Promise<string[]> {
  const found: string[] = []
  for (const { path, text } of knowledgeBaseOf(snapshot, input).notes) {
    const about = linesOf(text).filter((line) => isAbout(line, metric))
    if (about.length === 0 || input.history?.textAfter === undefined) continue
    const then = linesOf((await input.history.textAfter(path, deletion)) ?? '')
    found.push(...about.filter((line) => !then.includes(line)))
  }
  return found
}

/** Reports whether the line makes a statement about the metric; a heading only names its subject. */
function isAbout(line: string, { name, aliases }: Metric): boolean {
  return !line.startsWith('#') && [name, ...aliases].some((each) => containsWords(line, each))
}

function isCreation(edit: Edit): boolean {
  return 'text' in edit
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
