import type { SqlCase } from '../../../../benchmark/case.js'
import { applyEdits } from '../../../../edit/apply-edits.js'
import { AutotestError } from '../../../../errors.js'
import type { Interpretation } from '../../../../kb/question-interpretation.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import {
  knowledgeBaseOf,
  type RepairContext,
  renderEdits,
  resolvesToExpected,
} from '../model/repair-context.js'
import { aliasChanges, restorableAliases } from './metadata-changes/alias-changes.js'
import { choiceChanges } from './metadata-changes/choice-changes.js'
import { choiceExpressionChanges } from './metadata-changes/choice-expression-changes.js'
import { defaultChanges } from './metadata-changes/default-changes.js'
import { correctEnumValues } from './metadata-changes/enum-value-corrections.js'
import type { MetadataChange } from './metadata-changes/metadata-change.js'
import { moveAliases, reclaimAliases } from './metadata-changes/moved-aliases.js'
import {
  brokenReferenceChanges,
  snippetReferenceChanges,
} from './metadata-changes/snippet-reference-changes.js'
import { valueChanges } from './metadata-changes/value-changes.js'

const maxChanges = 8

/** Cached, because diagnosis and proposals need the same changes. */
const known = new WeakMap<Snapshot, Map<SqlCase, MetadataChanges>>()

export interface MetadataChanges {
  /** Smallest first. */
  readonly changes: readonly MetadataChange[]
  /** Why a change could not be tried: the file has that value in a form that cannot be edited. */
  readonly conflict?: string | undefined
}

/**
 * Returns the changes of names with which a question means what its expected query asks for. Each was tried:
 * with it, the question resolves to a metric whose rendered snippet has the canonical form of the expected
 * query. If there is none, the metric is one whose file once had the word, or whose own name it is.
 */
export function findMetadataChanges(
  testCase: SqlCase,
  meaning: Interpretation,
  snapshot: Snapshot,
  context: RepairContext,
): MetadataChanges {
  const found = known.get(snapshot) ?? new Map<SqlCase, MetadataChanges>()
  known.set(snapshot, found)
  const changes = found.get(testCase) ?? findChanges(testCase, meaning, snapshot, context)
  found.set(testCase, changes)
  return changes
}

function findChanges(
  testCase: SqlCase,
  meaning: Interpretation,
  snapshot: Snapshot,
  context: RepairContext,
): MetadataChanges {
  const kb = knowledgeBaseOf(snapshot, context)
  const moved = moveAliases(testCase, meaning, kb, context)
  const defaults = defaultChanges(testCase, meaning, kb, context)
  const candidates =
    meaning.kind === 'bound'
      ? [
          ...defaults,
          ...moved,
          ...correctEnumValues(testCase, meaning, kb, context),
          ...choiceExpressionChanges(testCase, meaning, kb, context),
          ...snippetReferenceChanges(testCase, meaning, kb, context),
        ]
      : [
          ...brokenReferenceChanges(meaning, kb, context),
          ...valueChanges(testCase, meaning, kb, context),
          ...choiceChanges(testCase, meaning, kb, context),
          ...defaults,
          ...aliasChanges(testCase, meaning, kb, context),
          ...moved,
        ]
  const tried = candidates.map((change) => ({ change, edited: tryEdits(snapshot, change, context) }))
  const changes = tried.flatMap(({ change, edited }) =>
    typeof edited !== 'string' && resolvesToExpected(testCase, edited, context) ? [change] : [],
  )
  if (changes.length === 0 && meaning.kind === 'unbound') {
    const former = restorableAliases(testCase, meaning, kb, context)
    changes.push(...former.filter((change) => typeof tryEdits(snapshot, change, context) !== 'string'))
  }
  if (changes.length === 0 && meaning.kind === 'bound') {
    const own = reclaimAliases(testCase, meaning, kb, context)
    changes.push(...own.filter((change) => typeof tryEdits(snapshot, change, context) !== 'string'))
  }
  const conflict = tried.find(
    ({ change: { title }, edited }) =>
      typeof edited === 'string' &&
      tried.every((other) => other.change.title !== title || typeof other.edited === 'string'),
  )?.edited
  return {
    changes: changes.slice(0, maxChanges),
    conflict: typeof conflict === 'string' ? conflict : undefined,
  }
}

/**
 * Returns the changed knowledge, or a description of the conflict if the file has the value in another form:
 * behind an anchor, or as a list that is not a map.
 */
function tryEdits(snapshot: Snapshot, change: MetadataChange, context: RepairContext): Snapshot | string {
  try {
    return applyEdits(snapshot, renderEdits(change.edits, snapshot, context))
  } catch (error) {
    if (error instanceof AutotestError && error.code === 'edit_conflict') return error.message
    throw error
  }
}
