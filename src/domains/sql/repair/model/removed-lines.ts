import type { KnowledgeBase, Snippet } from '../../../../kb/entry.js'
import type { FormerLines } from '../../../../kb/knowledge-adapter.js'
import { containsWords } from '../../../../kb/words/contains-words.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { type ChangedQuery, changedQueries } from './changed-queries.js'
import { isSamePhrase, wordsAddedBy } from './edited-words.js'
import { formatOf, type RemovedLine, type RepairContext, slotEditsIn } from './repair-context.js'
import type { RepairPlan } from './sql-repair-types.js'

/** Lines that were removed from files, and the format to read them in. */
export type RemovedLinesContext = Pick<RepairContext, 'removedLines' | 'format'>

/** Returns the lines that were removed from a file, newest first. */
export function removedLinesOf(path: string, { removedLines = [] }: RemovedLinesContext): RemovedLine[] {
  return removedLines.filter((line) => line.path === path)
}

/** Returns the reader of lines in this knowledge base's format. */
export function lineReaderOf(context: RemovedLinesContext): FormerLines {
  return formatOf(context).former.lines
}

/** Returns the newest removed line of a file that contains these words. */
export function findRemovedLine(
  words: string,
  path: string,
  context: RemovedLinesContext,
): RemovedLine | undefined {
  const { withoutComment } = lineReaderOf(context)
  return context.removedLines?.find(
    (line) => line.path === path && containsWords(withoutComment(line.text), words),
  )
}

/**
 * Returns the newest removed line of a file in which these words are a whole name: an item of a list, a key
 * or a value.
 */
export function findRemovedName(
  words: string,
  path: string,
  context: RemovedLinesContext,
): RemovedLine | undefined {
  const { namesIn } = lineReaderOf(context)
  return context.removedLines?.find(
    (line) => line.path === path && namesIn(line.text).some((name) => isSamePhrase(name, words)),
  )
}

/**
 * Like `findRemovedName`, for names that may have been the metric's own: a line that declares a parameter and
 * its values does not count.
 */
export function findRemovedAlias(
  words: string,
  path: string,
  context: RemovedLinesContext,
): RemovedLine | undefined {
  const { isDeclaration } = lineReaderOf(context)
  const removedLines = removedLinesOf(path, context).filter(({ text }) => !isDeclaration(text))
  return findRemovedName(words, path, { ...context, removedLines })
}

/** Returns removed names of a file that occur in a question, the longest first. */
export function removedNamesIn(question: string, path: string, context: RemovedLinesContext): string[] {
  const { namesIn } = lineReaderOf(context)
  const names = removedLinesOf(path, context).flatMap(({ text }) => namesIn(text))
  return [...new Set(names)]
    .filter((name) => name.length > 1 && containsWords(question, name))
    .sort((a, b) => b.length - a.length)
}

/**
 * Describes what a plan restores from former versions of its files: `commit 1a2b3c4 took "clients" out of` a
 * file.
 */
export function describeRestorations(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  kb: KnowledgeBase,
  context: RepairContext,
): string[] {
  const words = slotEditsIn(plan.edits, context).flatMap((edit) => {
    if (edit.action === 'remove') return []
    const metric = kb.metrics.find(({ id }) => id === edit.entry)
    if (metric === undefined) return []
    const added =
      edit.action === 'rename' ? [String(edit.value)] : wordsAddedBy([edit]).map(({ word }) => word)
    return added.map((word) => [word, findRemovedName(word, metric.path, context)] as const)
  })
  const lines = changedQueries(snapshot, candidate, context)
    // If a whole file is restored, the plan states so itself.
    .filter(({ before }) => (before?.text ?? '').trim() !== '')
    .flatMap(({ path, before, after }) => {
      const had = new Set(linesOf(before))
      return linesOf(after)
        .filter((line) => line !== '' && !had.has(line))
        .map((line) => [line, findRemovedText(line, path, context)] as const)
    })
  const places = new Map<string, Set<string>>()
  for (const [text, former] of [...words, ...lines]) {
    if (former === undefined) continue
    const taken = `${former.by} removed "${text}" from`
    places.set(taken, (places.get(taken) ?? new Set()).add(former.path))
  }
  return [...places].map(([taken, paths]) => `${taken} ${[...paths].join(', ')}`)
}

/** Reports whether every line that a plan writes into a query is one that its file once had. */
export function onlyRestoresLines(
  { path, before, after }: ChangedQuery,
  context: Pick<RepairContext, 'removedLines'>,
): boolean {
  const had = new Set(linesOf(before))
  const added = linesOf(after).filter((line) => !had.has(line))
  return added.length > 0 && added.every((line) => findRemovedText(line, path, context) !== undefined)
}

function linesOf(query: Snippet | undefined): string[] {
  return (query?.text ?? '').split('\n').map((line) => line.trim())
}

function findRemovedText(
  text: string,
  path: string,
  { removedLines = [] }: Pick<RepairContext, 'removedLines'>,
): RemovedLine | undefined {
  return removedLines.find((line) => line.path === path && line.text.trim() === text)
}
