import type { KnowledgeBase, Snippet } from '../../../../kb/entry.js'
import { containsWords } from '../../../../kb/words/contains-words.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { type ChangedQuery, changedQueries } from './changed-queries.js'
import { isSamePhrase, wordsAddedBy } from './edited-words.js'
import { type RemovedLine, type RepairContext, slotEditsIn } from './knowledge.js'
import type { RepairPlan } from './plan.js'

/** The newest line with these words among those that a file once had. */
export function findRemovedLine(
  words: string,
  path: string,
  { removedLines = [] }: Pick<RepairContext, 'removedLines'>,
): RemovedLine | undefined {
  return removedLines.find((line) => line.path === path && containsWords(withoutComment(line.text), words))
}

/** The newest of its lines that had these words as a name of their own: an item of a list, a key, a value, not a part of one. */
export function findRemovedName(
  words: string,
  path: string,
  { removedLines = [] }: Pick<RepairContext, 'removedLines'>,
): RemovedLine | undefined {
  return removedLines.find(
    (line) => line.path === path && namesIn(line.text).some((name) => isSamePhrase(name, words)),
  )
}

/** As above, of names that may have been the metric's own: not of a line that declares a parameter and its values. */
export function findRemovedAlias(
  words: string,
  path: string,
  { removedLines = [] }: Pick<RepairContext, 'removedLines'>,
): RemovedLine | undefined {
  return findRemovedName(words, path, {
    removedLines: removedLines.filter(({ text }) => !/[\s{,](?:type|values)\s*:/u.test(text)),
  })
}

/** Such names that stand in a question, the longest first. */
export function removedNamesIn(
  question: string,
  path: string,
  { removedLines = [] }: Pick<RepairContext, 'removedLines'>,
): string[] {
  const names = removedLines.filter((line) => line.path === path).flatMap(({ text }) => namesIn(text))
  return [...new Set(names)]
    .filter((name) => name.length > 1 && containsWords(question, name))
    .sort((a, b) => b.length - a.length)
}

function namesIn(line: string): string[] {
  return withoutComment(line)
    .replace(/^\s*-\s/u, '')
    .split(/[,:[\]{}]/u)
    .map((part) => part.trim().replace(/^(['"])(.*)\1$/u, '$2'))
}

/** What a comment called the thing is no name of it. */
function withoutComment(line: string): string {
  return line.replace(/(?:^|\s)(?:#|--).*$/u, '')
}

/** What a plan gives back of what its files once had: `commit 1a2b3c4 took "clients" out of` a file. */
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
    // Of a file that is given back as a whole the plan says so itself.
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

/** Whether every line that a plan writes into a query is one that its file once had. */
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
