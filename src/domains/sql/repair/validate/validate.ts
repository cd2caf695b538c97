import { checkPath } from '../../../../edit/allowed-path.js'
import type { Edit, YamlEdit } from '../../../../edit/edit.js'
import type { KnowledgeBase } from '../../../../kb/entry.js'
import type { Binding, Interpretation } from '../../../../kb/interpretation.js'
import { findPlaceholders } from '../../../../kb/render.js'
import type { Problem } from '../../../../repair/model/domain.js'
import { readText, type Snapshot } from '../../../../snapshot/snapshot.js'
import { changedChoices } from '../model/changed-choices.js'
import { readCommonParameters } from '../model/common-parameters.js'
import { addedWords, isTitle } from '../model/edited-words.js'
import {
  expectedSqlFor,
  interpretationOf,
  knowledgeBaseOf,
  type RepairContext,
  tokensOf,
} from '../model/knowledge.js'
import { knownValueAliases } from '../model/known-value-aliases.js'
import type { Diagnosis, RepairPlan, SqlTypes } from '../model/plan.js'
import { findRemovedName } from '../model/removed-lines.js'
import { findAliasConflicts } from './alias-conflicts.js'
import { isDeclaredElsewhere } from './declared-elsewhere.js'
import { droppedPeriodBounds } from './dropped-period-bounds.js'
import { aliasLeaks, choiceLeaks, type LeakContext, snippetLeaks, titleLeaks } from './leak.js'
import { unexpectedParameters } from './new-parameter-check.js'
import { findOverlongSnippets } from './overlong-snippets.js'
import { ambiguousNumbers, ambiguousPeriodBounds } from './placeholder-ambiguity.js'
import { unexpectedPredicates } from './predicate-check.js'
import { findReroutedQuestions } from './rerouted-questions.js'

const yaml = { folder: 'metrics', extensions: ['.yaml', '.yml'] }
const sql = { folder: 'snippets', extensions: ['.sql'] }

/** Where each kind of edit may write: a metric edited as text would pass by what guards its words. */
const allowedLocations: Readonly<
  Record<Edit['kind'], { readonly folder: string; readonly extensions: readonly string[] }>
> = {
  edit_snippet: sql,
  create_snippet: sql,
  edit_metric: yaml,
  create_metric: yaml,
  edit_note: { folder: 'notes', extensions: ['.md'] },
  edit_tool: { folder: 'tools', extensions: ['.pym'] },
}

/** Throws where an edit may not write what it writes. */
export function checkLocation(edit: Edit, { kbFolder }: RepairContext): void {
  const { folder, extensions } = allowedLocations[edit.kind]
  checkPath(edit.path, [`${kbFolder}/${folder}`], extensions)
}

/** What in a plan can be judged without asking the agent or running a query. */
export function checkPlan(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  isFromModel: boolean,
  context: RepairContext,
): Problem<SqlTypes> | undefined {
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
    ...findAliasConflicts(plan.edits, knowledgeBaseOf(snapshot, context)),
    ...leaksOf(plan, snapshot, candidate, context),
  ]
  if (leak !== undefined) return { reason: leak }
  const [unexpected] = isFromModel ? unexpectedContents(plan, snapshot, candidate, context) : []
  return unexpected === undefined ? undefined : { reason: unexpected }
}

/** What only a plan can hold that was not made from the expected queries of its cases. */
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

/** That an expected query does without a value of its question, which is then more likely wrong than the snippet. */
function ignoredValue({ interpretation }: Diagnosis, ignored: readonly string[]): string | undefined {
  // The expression of a choice is the author's own: it may be what is wrong.
  const binding = interpretation.bindings.find(
    ({ parameter, span, value }) =>
      span !== undefined && value.kind !== 'choice' && ignored.includes(parameter),
  )
  return (
    binding &&
    `its expected query ignores the ${binding.parameter} "${binding.span?.text ?? ''}" of its question`
  )
}

/** Parameters whose last placeholder a plan takes out of a snippet. */
function droppedParameters(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  const kb = knowledgeBaseOf(snapshot, context)
  const names = (source: Snapshot, path: string): string[] =>
    findPlaceholders(readText(source, path) ?? '').map(({ name }) => name)
  const paths = new Set(plan.edits.filter((edit) => edit.kind === 'edit_snippet').map((edit) => edit.path))
  return [...paths].flatMap((path) => {
    const left = new Set(names(candidate, path))
    return [...new Set(names(snapshot, path))].filter(
      (name) => !left.has(name) && isPossiblyDeclared(name, path, kb, context),
    )
  })
}

/** What no metric of a snippet has as a parameter is a slip of its placeholder: nothing is ignored without it. */
function isPossiblyDeclared(
  name: string,
  path: string,
  kb: KnowledgeBase,
  { kbFolder }: RepairContext,
): boolean {
  const readers = [...kb.metrics.map((metric) => ({ metric, snippet: metric.snippet })), ...kb.broken].filter(
    ({ snippet }) => snippet !== undefined && `${kbFolder}/snippets/${snippet}` === path,
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
  const createdPaths = new Set(
    plan.edits.flatMap(({ kind, path }) => (kind === 'create_metric' ? [path] : [])),
  )
  const cases = plan.cases.map((testCase): LeakContext & { readonly said: readonly Binding[] } => {
    const expected = expectedSqlFor(testCase, context) ?? testCase.expectedSql
    const [former, now] = [known, kb].map((each) => interpretationOf(testCase, each, context)) as [
      Interpretation,
      Interpretation,
    ]
    // A new metric is named by its question's own words, and known of it is only what other metrics say of values.
    const isNew = now.metric !== undefined && createdPaths.has(now.metric.path)
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
  const snippetPaths = new Set(
    plan.edits
      .filter(({ kind }) => kind !== 'edit_metric' && kind !== 'create_metric')
      .map((edit) => edit.path),
  )
  const tokens = (source: Snapshot, path: string) =>
    tokensOf(readText(source, path) ?? '', context.dialect, context.parser)
  const snippets = [...snippetPaths].flatMap((path) =>
    [snippetLeaks, ambiguousPeriodBounds, ambiguousNumbers].flatMap((problems) =>
      problems(tokens(snapshot, path), tokens(candidate, path), cases, isRestored(path)),
    ),
  )
  const before = cases.map((each) => ({ ...each, bindings: each.said }))
  const created = kb.metrics.filter(({ path }) => createdPaths.has(path))
  const words = created.flatMap(({ id, path, aliases }) => aliases.map((word) => ({ entry: id, path, word })))
  const fresh = plan.edits.filter((edit) => !isDeclaredElsewhere(edit, known))
  const added = fresh.flatMap((edit) =>
    addedWords([edit])
      .filter(
        ({ word }) =>
          !isKnownAlias(word, edit, known, context) &&
          !isMoved(word, edit, plan.edits) &&
          !isReclaimed(word, edit, plan.edits, context),
      )
      .map((each) => ({ ...each, path: edit.path })),
  )
  const aliases = [...added, ...words].flatMap(({ entry, path, word }) =>
    aliasLeaks(word, entry, known, kb, before, isRestored(path)),
  )
  const yaml = plan.edits.filter((edit) => edit.kind === 'edit_metric')
  const sqlTokens = (sql: string) => tokensOf(sql, context.dialect, context.parser)
  const choices = changedChoices(plan, known, kb).flatMap(({ metric, known: former, sql }) =>
    choiceLeaks(former.flatMap(sqlTokens), sqlTokens(sql), cases, isRestored(metric.path)),
  )
  const titles = [
    ...yaml.flatMap(({ at, entry, value }) =>
      isTitle(at) ? [{ entry, title: typeof value === 'string' ? value : '' }] : [],
    ),
    ...created.map(({ id, title }) => ({ entry: id, title })),
  ].flatMap(({ title, entry }) => titleLeaks(title, entry, known, before))
  return [...snippets, ...aliases, ...choices, ...titles]
}

/** A word that a value gets because others say so is not learned from a question. */
function isKnownAlias(word: string, edit: Edit, kb: KnowledgeBase, context: RepairContext): boolean {
  if (edit.kind !== 'edit_metric' || edit.at.length !== 4) return false
  if (edit.expected !== undefined && edit.action !== 'append') return false
  const [, parameter, part, code] = edit.at
  const metric = kb.metrics.find(({ id }) => id === edit.entry)
  if (metric === undefined || part !== 'values') return false
  return knownValueAliases(metric, String(parameter), String(code), kb, context).includes(word)
}

/** A word that goes from one value of a parameter to another is the author's own. */
function isMoved(word: string, edit: Edit, edits: readonly Edit[]): boolean {
  if (edit.kind !== 'edit_metric') return false
  const place = ({ entry, at }: YamlEdit): string => JSON.stringify([entry, ...at.slice(0, 3)])
  return edits.some(
    (other) =>
      other.kind === 'edit_metric' &&
      other !== edit &&
      (other.action === 'remove' || other.action === 'set') &&
      other.at[2] === 'values' &&
      place(other) === place(edit) &&
      [other.expected].flat().includes(word),
  )
}

/** A name that another metric gives back to the one whose file once had it is the author's own, too. */
function isReclaimed(word: string, edit: Edit, edits: readonly Edit[], context: RepairContext): boolean {
  const isAlias = (other: Edit): other is YamlEdit =>
    other.kind === 'edit_metric' && other.at[0] === 'aliases'
  if (!isAlias(edit) || findRemovedName(word, edit.path, context) === undefined) return false
  return edits.some(
    (other) =>
      isAlias(other) && other.entry !== edit.entry && other.action === 'remove' && other.expected === word,
  )
}

function problemKey(problem: { readonly path: string; readonly message: string }): string {
  return `${problem.path}\0${problem.message}`
}
