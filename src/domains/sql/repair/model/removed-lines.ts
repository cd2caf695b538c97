import type { KnowledgeBase } from '../../../../kb/entry.js'
import { containsWords } from '../../../../kb/words/contains-words.js'
import { changedPaths, readText, type Snapshot } from '../../../../snapshot/snapshot.js'
import { addedWords, isSamePhrase } from './edited-words.js'
import type { RemovedLine, RepairContext } from './knowledge.js'
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

/** What a plan gives back of what its files once had: `commit 1a2b3c4 took "clients" out of kb/metrics/users.yaml`. */
export function describeRestorations(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  kb: KnowledgeBase,
  context: RepairContext,
): string[] {
  const words = plan.edits.flatMap((edit) => {
    if (edit.kind !== 'edit_metric' || edit.action === 'remove') return []
    const metric = kb.metrics.find(({ id }) => id === edit.entry)
    if (metric === undefined) return []
    const added = edit.action === 'rename' ? [String(edit.value)] : addedWords([edit]).map(({ word }) => word)
    return added.map((word) => [word, findRemovedName(word, metric.path, context)] as const)
  })
  const lines = changedPaths(snapshot, candidate)
    // Of a file that is given back as a whole the plan says so itself.
    .filter((path) => path.endsWith('.sql') && (readText(snapshot, path) ?? '').trim() !== '')
    .flatMap((path) => {
      const before = new Set(linesOf(snapshot, path))
      return linesOf(candidate, path)
        .filter((line) => line !== '' && !before.has(line))
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

/** Whether every line that a plan writes into a file is one that the file once had. */
export function onlyRestoresLines(
  path: string,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): boolean {
  const before = new Set(linesOf(snapshot, path))
  const added = linesOf(candidate, path).filter((line) => !before.has(line))
  return added.length > 0 && added.every((line) => findRemovedText(line, path, context) !== undefined)
}

function linesOf(snapshot: Snapshot, path: string): string[] {
  return (readText(snapshot, path) ?? '').split('\n').map((line) => line.trim())
}

function findRemovedText(
  text: string,
  path: string,
  { removedLines = [] }: RepairContext,
): RemovedLine | undefined {
  return removedLines.find((line) => line.path === path && line.text.trim() === text)
}
