import type { KnowledgeBase, Snippet } from '../../../../kb/entry.js'
import { isAmongValues, parameterOf, type SlotEdit } from '../../../../kb/entry-slots.js'
import type { Binding, Interpretation } from '../../../../kb/question-interpretation.js'
import { findPlaceholders } from '../../../../kb/render-snippet.js'
import type { Problem } from '../../../../repair/model/repair-domain.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { changedChoices } from '../model/changed-choices.js'
import { queriesChangedBy } from '../model/changed-queries.js'
import { readCommonParameters } from '../model/common-parameters.js'
import { createdMetrics } from '../model/created-metrics.js'
import { wordsAddedBy } from '../model/edited-words.js'
import { knownValueAliases } from '../model/known-value-aliases.js'
import { findRemovedName } from '../model/removed-lines.js'
import {
  expectedSqlFor,
  interpretationOf,
  knowledgeBaseOf,
  type RepairContext,
  slotEditsIn,
  tokensOf,
} from '../model/repair-context.js'
import type { Diagnosis, RepairPlan, SqlTypes } from '../model/sql-repair-types.js'
import { findAliasConflicts } from './alias-conflicts.js'
import { aliasLeaks, choiceLeaks, type LeakContext, snippetLeaks, titleLeaks } from './benchmark-leaks.js'
import { findCapturedQuestions } from './captured-questions.js'
import { droppedPeriodBounds } from './dropped-period-bounds.js'
import { unexpectedParameters } from './new-parameter-check.js'
import { findOverlongSnippets } from './overlong-snippets.js'
import { isDeclaredElsewhere } from './parameter-declared-elsewhere.js'
import { ambiguousNumbers, ambiguousPeriodBounds } from './placeholder-ambiguity.js'
import { unexpectedPredicates } from './predicate-check.js'
import { findRejectedChange } from './rejected-changes.js'
import { findRepairMark } from './repair-marks.js'
import { findReroutedQuestions } from './rerouted-questions.js'

/** Checks everything in a plan that can be judged without asking the agent or running a query. */
export function checkPlan(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  isFromModel: boolean,
  context: RepairContext,
): Problem<SqlTypes> | undefined {
  const rejected = findRejectedChange(plan, snapshot, candidate, context)
  if (rejected !== undefined) return rejected
  const kept = findRepairMark(snapshot, candidate, context)
  if (kept !== undefined) return kept
  const known = new Set(knowledgeBaseOf(snapshot, context).problems.map(problemKey))
  const broken = knowledgeBaseOf(candidate, context).problems.find(
    (problem) => !known.has(problemKey(problem)),
  )
  const ignored = droppedParameters(plan, snapshot, candidate, context)
  if (ignored.length > 0)
    return {
      reason: `it would ignore ${ignored.join(', ')}`,
      suspect: (diagnosis) => ignoredValue(diagnosis, ignored),
    }
  if (broken !== undefined) return { reason: `${broken.path}: ${broken.message}` }
  const [leak] = [
    ...findAliasConflicts(plan.edits, knowledgeBaseOf(snapshot, context), context),
    ...findCapturedQuestions(plan, snapshot, candidate, context),
    ...leaksOf(plan, snapshot, candidate, context),
  ]
  if (leak !== undefined) return { reason: leak }
  const [unexpected] = isFromModel ? unexpectedContents(plan, snapshot, candidate, context) : []
  return unexpected === undefined ? undefined : { reason: unexpected }
}

/** Checks for content that only a plan not made from the expected queries of its cases can have. */
function unexpectedContents(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  return [
    ...findReroutedQuestions(plan, snapshot, candidate, context),
    ...unexpectedParameters(plan, snapshot, candidate, context),
    ...droppedPeriodBounds(plan, snapshot, candidate, context),
    ...findOverlongSnippets(plan, snapshot, candidate, context),
    ...unexpectedPredicates(plan, snapshot, candidate, context),
  ]
}

/**
 * Describes that an expected query ignores a value of its question, and is then more likely wrong than the
 * snippet.
 */
function ignoredValue({ interpretation }: Diagnosis, ignored: readonly string[]): string | undefined {
  // The author wrote the expression of a choice: it may be what is wrong.
  const binding = interpretation.bindings.find(
    ({ parameter, span, value }) =>
      span !== undefined && value.kind !== 'choice' && ignored.includes(parameter),
  )
  return (
    binding &&
    `its expected query ignores the ${binding.parameter} "${binding.span?.text ?? ''}" of its question`
  )
}

/** Returns parameters whose last placeholder a plan removes from a snippet. */
function droppedParameters(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  const kb = knowledgeBaseOf(snapshot, context)
  const names = (query: Snippet | undefined): string[] =>
    findPlaceholders(query?.text ?? '').map(({ name }) => name)
  return queriesChangedBy(plan, snapshot, candidate, context).flatMap(({ name, before, after }) => {
    const left = new Set(names(after))
    return [...new Set(names(before))].filter((each) => !left.has(each) && isPossiblyDeclared(each, name, kb))
  })
}

/**
 * Reports whether the placeholder may be a declared parameter. If no metric of a snippet declares it, it is a
 * typing error, and nothing is lost without it.
 */
function isPossiblyDeclared(name: string, query: string, kb: KnowledgeBase): boolean {
  const readers = [...kb.metrics.map((metric) => ({ metric, snippet: metric.snippet })), ...kb.broken].filter(
    ({ snippet }) => snippet === query,
  )
  return (
    readers.length === 0 || readers.some(({ metric }) => metric === undefined || metric.parameters.has(name))
  )
}

function leaksOf(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  const [known, kb] = [knowledgeBaseOf(snapshot, context), knowledgeBaseOf(candidate, context)]
  const created = createdMetrics(snapshot, candidate, context)
  const cases = plan.cases.map((testCase): LeakContext & { readonly said: readonly Binding[] } => {
    const expected = expectedSqlFor(testCase, context) ?? testCase.expectedSql
    const [former, now] = [known, kb].map((each) => interpretationOf(testCase, each, context)) as [
      Interpretation,
      Interpretation,
    ]
    // A new metric is named by words of its question, and its values are known from other metrics only.
    const isNew = created.some(({ id }) => id === now.metric?.id)
    const house = isNew ? readCommonParameters(testCase.question, known, context.asOf(testCase)) : undefined
    return {
      testCase,
      bindings: [...now.bindings, ...(house?.bindings ?? [])],
      name: (isNew ? now : former).aliasSpan,
      expected: tokensOf(expected, context.dialect, context.parser),
      said: [...former.bindings, ...(house?.bindings ?? [])],
    }
  })
  const isRestored = (path: string): boolean =>
    plan.isRestored === true || plan.restoredPaths?.includes(path) === true
  const sqlTokens = (sql: string) => tokensOf(sql, context.dialect, context.parser)
  const order = plan.edits.map(({ path }) => path)
  const texts = [...queriesChangedBy(plan, snapshot, candidate, context), ...changedNotes(known, kb)].sort(
    (a, b) => order.indexOf(a.path) - order.indexOf(b.path),
  )
  const snippets = texts.flatMap(({ path, ...text }) =>
    [snippetLeaks, ambiguousPeriodBounds, ambiguousNumbers].flatMap((problems) =>
      problems(
        sqlTokens(text.before?.text ?? ''),
        sqlTokens(text.after?.text ?? ''),
        cases,
        isRestored(path),
        plan.isTried,
      ),
    ),
  )
  const before = cases.map((each) => ({ ...each, bindings: each.said }))
  const words = created.flatMap(({ id, path, aliases }) => aliases.map((word) => ({ entry: id, path, word })))
  const edits = slotEditsIn(plan.edits, context)
  const added = edits
    .filter((edit) => !isDeclaredElsewhere(edit, known))
    .flatMap((edit) =>
      wordsAddedBy([edit])
        .filter(
          ({ word }) =>
            !isKnownAlias(word, edit, known, context) &&
            !isMoved(word, edit, edits) &&
            !isReclaimed(word, edit, edits, context),
        )
        .map((each) => ({ ...each, path: edit.path })),
    )
  const aliases = [...added, ...words].flatMap(({ entry, path, word }) =>
    aliasLeaks(word, entry, known, kb, before, isRestored(path)),
  )
  const choices = changedChoices(plan, known, kb).flatMap(({ metric, known: former, sql }) =>
    choiceLeaks(former.flatMap(sqlTokens), sqlTokens(sql), cases, isRestored(metric.path)),
  )
  const titles = [
    ...edits.flatMap(({ slot, entry, value }) =>
      slot.kind === 'title' ? [{ entry, title: typeof value === 'string' ? value : '' }] : [],
    ),
    ...created.map(({ id, title }) => ({ entry: id, title })),
  ].flatMap(({ title, entry }) => titleLeaks(title, entry, known, before))
  return [...snippets, ...aliases, ...choices, ...titles]
}

/** Returns the notes that a plan changes. */
function changedNotes(before: KnowledgeBase, after: KnowledgeBase) {
  const known = new Map(before.notes.map((note) => [note.id, note]))
  return after.notes.flatMap((note) => {
    const former = known.get(note.id)
    return former?.text === note.text ? [] : [{ path: note.path, before: former, after: note }]
  })
}

/** Reports whether a value's word is known from other evidence, and so not learned from a question. */
function isKnownAlias(word: string, edit: SlotEdit, kb: KnowledgeBase, context: RepairContext): boolean {
  const { slot, entry, expected, action } = edit
  if (expected !== undefined && action !== 'append') return false
  const metric = kb.metrics.find(({ id }) => id === entry)
  if (metric === undefined || slot.kind !== 'value' || slot.item !== undefined) return false
  return knownValueAliases(metric, slot.parameter, slot.value, kb, context).includes(word)
}

/** Reports whether a word moves from one value of a parameter to another: then the author wrote it. */
function isMoved(word: string, edit: SlotEdit, edits: readonly SlotEdit[]): boolean {
  if (!isAmongValues(edit.slot)) return false
  return edits.some(
    (other) =>
      other !== edit &&
      (other.action === 'remove' || other.action === 'set') &&
      isAmongValues(other.slot) &&
      other.entry === edit.entry &&
      parameterOf(other.slot) === parameterOf(edit.slot) &&
      [other.expected].flat().includes(word),
  )
}

/**
 * Reports whether another metric returns a name to the one whose file once had it: then the author wrote it,
 * too.
 */
function isReclaimed(
  word: string,
  edit: SlotEdit,
  edits: readonly SlotEdit[],
  context: RepairContext,
): boolean {
  if (edit.slot.kind !== 'aliases' || findRemovedName(word, edit.path, context) === undefined) return false
  return edits.some(
    (other) =>
      other.slot.kind === 'aliases' &&
      other.entry !== edit.entry &&
      other.action === 'remove' &&
      other.expected === word,
  )
}

function problemKey(problem: { readonly path: string; readonly message: string }): string {
  return `${problem.path}\0${problem.message}`
}
