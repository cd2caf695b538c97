import type { Edit } from '../../../../../edit/edit-types.js'
import type { Metric, Snippet } from '../../../../../kb/entry.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import type { PreviousVersion } from '../../model/knowledge-history.js'
import { formatOf, type RepairContext, rewriteQuery } from '../../model/repair-context.js'
import { keepCurrentComments, revertChange, withLineEndsOf } from '../../model/revert-change.js'

/** A former state of an entry, with the changes that restoring it reverts. */
export interface RestoreCandidate {
  /** Path of the file, relative to the root. */
  readonly path: string
  readonly title: string
  readonly edits: readonly Edit[]
  /** The changes that are reverted, newest first: `commit 1a2b3c4`. */
  readonly undoes: readonly string[]
}

/**
 * Returns former states of a snippet, newest first: today's text with one change reverted, if later changes
 * allow that, and the text before it.
 *
 * @param states content before each change of the file, newest first
 */
export function restorableSnippets(
  metric: Metric,
  snippet: Snippet,
  states: readonly PreviousVersion[],
  snapshot: Snapshot,
  context: RepairContext,
): RestoreCandidate[] {
  const { queryIn } = formatOf(context).former
  const queries = states.map(({ text }) => queryIn(snippet, text) ?? '')
  const texts = states.flatMap(({ by }, index) => {
    const before = withLineEndsOf(queries[index] ?? '', snippet.text)
    const later = queries[index - 1]
    // The newest change produced today's text.
    if (later === undefined) return [{ text: before, undoes: [by] }]
    const undone = revertChange(before, withLineEndsOf(later, snippet.text), snippet.text)
    return [
      ...(undone === undefined ? [] : [{ text: undone, undoes: [by] }]),
      {
        text: before.trim() === '' ? '' : keepCurrentComments(before, snippet.text),
        undoes: states.slice(0, index + 1).map((state) => state.by),
      },
    ]
  })
  return texts
    .filter(({ text }) => text.trim() !== '' && text !== snippet.text)
    .map(({ text, undoes }) => ({
      path: snippet.path,
      title: `${metric.name}: as it was before ${undoes.at(-1) ?? ''}`,
      edits: rewriteQuery(snippet, text, snapshot, context),
      undoes,
    }))
}
