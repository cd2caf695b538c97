import type { Edit } from '../../../../../edit/edit.js'
import type { Metric, Snippet } from '../../../../../kb/entry.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import type { PreviousVersion } from '../../model/history.js'
import { formatOf, type RepairContext, rewriteQuery } from '../../model/knowledge.js'
import { keepCurrentComments, revertChange, withLineEndsOf } from '../../model/revert-change.js'

/** What an entry would be again, with what that undoes. */
export interface RestoreCandidate {
  /** Of the file, relative to the root. */
  readonly path: string
  readonly title: string
  readonly edits: readonly Edit[]
  /** The changes that it takes back, newest first: `commit 1a2b3c4`. */
  readonly undoes: readonly string[]
}

/**
 * What a snippet once was, newest first: today's text with one change taken back, where what came later leaves room for
 * that, and the text from before it.
 *
 * @param states before each change of the file, newest first
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
    // The newest change left what is there today.
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
