import { checkPath } from '../../edit/allowed-path.js'
import { applyEdits } from '../../edit/apply.js'
import type { Edit, YamlEdit } from '../../edit/edit.js'
import { AutotestError } from '../../errors.js'
import type { KnowledgeBase } from '../../kb/entry.js'
import type { Binding, Interpretation } from '../../kb/interpretation.js'
import { findPlaceholders } from '../../kb/render.js'
import { readText, type Snapshot } from '../../snapshot/snapshot.js'
import { findRemovedName } from '../doubts/history.js'
import {
  expectedSqlFor,
  interpretationOf,
  knowledgeBaseOf,
  type RepairContext,
  tokensOf,
} from '../knowledge.js'
import type { RepairPlan } from '../plan.js'
import { readCommonParameters } from '../propose/house-parameters.js'
import { ambiguousNumbers, ambiguousPeriodBounds } from '../triage/ambiguity.js'
import { findAliasConflicts } from '../triage/other-meanings.js'
import { knownValueAliases } from '../triage/value-words.js'
import { changedChoices } from './changed-choices.js'
import { unexpectedParameters } from './created-parameters.js'
import { isDeclaredElsewhere } from './declared.js'
import { findReroutedQuestions } from './diverted.js'
import {
  addedWords,
  aliasLeaks,
  choiceLeaks,
  isTitle,
  type LeakContext,
  snippetLeaks,
  titleLeaks,
} from './leak.js'
import { droppedPeriodBounds } from './lost-bounds.js'
import { findOverlongSnippets } from './overlong.js'
import { unexpectedPredicates } from './places.js'

export type Validation =
  | { readonly kind: 'valid'; readonly candidate: Snapshot }
  | {
      readonly kind: 'invalid'
      readonly reason: string
      readonly ignores: readonly string[]
      /** Whether it is what git has and what another plan was about: what came of that is told already. */
      readonly isTold?: boolean
    }

const largestFile = 256 * 1024
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

/**
 * Everything about a plan that can be judged without asking the agent or running a query. `seen` says of states of the
 * knowledge, by hash, why a plan that leads there is refused: A→B→A would never end.
 */
export function validatePlan(
  plan: RepairPlan,
  snapshot: Snapshot,
  seen: ReadonlyMap<string, string>,
  context: RepairContext,
): Validation {
  const invalid = (reason: string, ignores: readonly string[] = []) => ({
    kind: 'invalid' as const,
    reason,
    ignores,
  })
  let candidate: Snapshot
  try {
    for (const edit of plan.edits) {
      const { folder, extensions } = allowedLocations[edit.kind]
      checkPath(edit.path, [`${context.kbFolder}/${folder}`], extensions)
    }
    candidate = applyEdits(snapshot, plan.edits)
  } catch (error) {
    if (error instanceof AutotestError) return invalid(error.message)
    throw error
  }
  if (candidate.hash === snapshot.hash) return invalid('it changes nothing')
  const before = seen.get(candidate.hash)
  if (before !== undefined) return { ...invalid(before), isTold: plan.isRestored === true }
  const large = plan.edits.find((edit) => (candidate.files.get(edit.path)?.byteLength ?? 0) > largestFile)
  if (large !== undefined) return invalid(`${large.path} would be larger than 256 KB`)
  const known = new Set(knowledgeBaseOf(snapshot, context).problems.map(problemKey))
  const broken = knowledgeBaseOf(candidate, context).problems.find(
    (problem) => !known.has(problemKey(problem)),
  )
  const ignores = droppedParameters(plan, snapshot, candidate, context)
  if (ignores.length > 0) return invalid(`it would ignore ${ignores.join(', ')}`, ignores)
  if (broken !== undefined) return invalid(`${broken.path}: ${broken.message}`)
  const leak = [
    ...findAliasConflicts(plan.edits, knowledgeBaseOf(snapshot, context)),
    ...leaksOf(plan, snapshot, candidate, context),
  ][0]
  return leak === undefined ? { kind: 'valid', candidate } : invalid(leak)
}

/** As `validatePlan`, of a plan that was not made from the expected queries of its cases: it may hold anything. */
export function validateProposed(
  plan: RepairPlan,
  snapshot: Snapshot,
  seen: ReadonlyMap<string, string>,
  context: RepairContext,
): Validation {
  const validation = validatePlan(plan, snapshot, seen, context)
  if (validation.kind === 'invalid') return validation
  const { candidate } = validation
  const [strange] = [
    ...findReroutedQuestions(plan, snapshot, candidate, context),
    ...unexpectedParameters(plan, snapshot, candidate, context),
    ...droppedPeriodBounds(plan, snapshot, candidate, context),
    ...findOverlongSnippets(plan, snapshot, candidate, context),
    ...unexpectedPredicates(plan, snapshot, candidate, context),
  ]
  return strange === undefined ? validation : { kind: 'invalid', reason: strange, ignores: [] }
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
