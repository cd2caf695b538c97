import type { KnowledgeBase } from '../../../../kb/entry.js'
import { parameterOf, type SlotEdit, valueInSlot } from '../../../../kb/entry-slots.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { wordsAddedBy } from '../model/edited-words.js'
import type { RepairContext } from '../model/repair-context.js'
import type { Diagnosis } from '../model/sql-repair-types.js'
import { findMetadataChanges } from './metadata-changes.js'

/** The meaning that one failing case requires of a word. */
interface Claim {
  readonly diagnosis: Diagnosis
  /** In lower case. */
  readonly word: string
  /** Every meaning with which the case would pass: `metric dau`, `market ID`. */
  readonly meanings: ReadonlySet<string>
}

/**
 * Returns, by case id, why a word that a failing case needs cannot be learned from it: another failing case
 * needs another meaning. Whichever was repaired first would decide for both, so neither is.
 */
export function findConflictingClaims(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  kb: KnowledgeBase,
  context: RepairContext,
): Map<string, string> {
  const claims = diagnoses.flatMap((diagnosis) => claimsOf(diagnosis, snapshot, kb, context))
  const found = new Map<string, string>()
  for (const { diagnosis, word, meanings } of claims) {
    const rival = claims.find(
      (other) => other.word === word && ![...meanings].some((each) => other.meanings.has(each)),
    )
    if (rival === undefined) continue
    const [own, theirs] = [[...meanings][0], [...rival.meanings][0]]
    const other = rival.diagnosis.evaluation.testCase.id
    const reason = `"${word}" is ambiguous: it means ${own} in this case and ${theirs} in ${other}; needs review`
    found.set(diagnosis.evaluation.testCase.id, reason)
  }
  return found
}

const metadataLabels = new Set(['missing_alias', 'missing_value', 'retrieval_miss'])

/**
 * A diagnosis that is kept after a repair makes the same claims: trying every name again would take longer
 * than the repair.
 */
const known = new WeakMap<Diagnosis, readonly Claim[]>()

function claimsOf(
  diagnosis: Diagnosis,
  snapshot: Snapshot,
  kb: KnowledgeBase,
  context: RepairContext,
): readonly Claim[] {
  const claims = known.get(diagnosis) ?? claimsIn(diagnosis, snapshot, kb, context)
  known.set(diagnosis, claims)
  return claims
}

/** Returns the words of the likeliest change, each with the meanings that the case allows for it. */
function claimsIn(
  diagnosis: Diagnosis,
  snapshot: Snapshot,
  kb: KnowledgeBase,
  context: RepairContext,
): Claim[] {
  const { evaluation, interpretation, label } = diagnosis
  if (!metadataLabels.has(label)) return []
  const { changes } = findMetadataChanges(evaluation.testCase, interpretation, snapshot, context)
  const [first] = changes
  if (first === undefined) return []
  const said = changes.flatMap(({ edits }) => edits.flatMap((edit) => claimedMeanings(edit, kb)))
  return first.edits
    .flatMap((edit) => claimedMeanings(edit, kb))
    .map(({ word }) => {
      const meanings = said.filter((other) => other.word === word).map(({ meaning }) => meaning)
      return { diagnosis, word, meanings: new Set(meanings) }
    })
}

function claimedMeanings(edit: SlotEdit, kb: KnowledgeBase): { word: string; meaning: string }[] {
  const metric = kb.metrics.find(({ id }) => id === edit.entry)?.name ?? edit.entry
  const { slot } = edit
  return wordsAddedBy([edit]).map(({ word }) => {
    const meaning =
      slot.kind === 'aliases' ? `metric ${metric}` : `${parameterOf(slot)} ${valueInSlot(slot) ?? word}`
    return { word: word.toLowerCase(), meaning }
  })
}
