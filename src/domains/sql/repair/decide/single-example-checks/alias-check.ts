import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import { parameterOf, type SlotEdit, valueInSlot } from '../../../../../kb/entry-slots.js'
import { containsWords } from '../../../../../kb/words/contains-words.js'
import { contentWords } from '../../../../../kb/words/content-words.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { wordsAddedBy } from '../../model/edited-words.js'
import { findRemovedLine, lineReaderOf, removedLinesOf } from '../../model/removed-lines.js'
import { type RepairContext, slotEditsIn } from '../../model/repair-context.js'
import type { RepairPlan } from '../../model/sql-repair-types.js'
import { isDeclaredElsewhere } from '../../validate/parameter-declared-elsewhere.js'
import { coversWords, isAbbreviationOf, metricNames, noteLinesMentioning } from './metric-vocabulary.js'
import { findIntendedTerm } from './typo-detection.js'

/**
 * Reports new words whose meaning rests on a single case. Twins do not help: each of them uses the same word.
 * A second case helps, and so does what the knowledge base states, or once stated: a title, a comment, a
 * note, the same word in another metric, a line removed from the metric's file.
 */
export function checkAliases(
  plan: RepairPlan,
  snapshot: Snapshot,
  kb: KnowledgeBase,
  context: RepairContext,
): string[] {
  const questions = (context.benchmark ?? []).map(({ question }) => question)
  const edits = slotEditsIn(plan.edits, context)
  return edits.flatMap((edit) => {
    if (edit.action === 'remove' || isDeclaredElsewhere(edit, kb)) return []
    const metric = kb.metrics.find(({ id }) => id === edit.entry)
    if (metric === undefined) return []
    if (typeof edit.value === 'number' && plan.cases.length < 2) {
      const { value } = edit
      const { setsDefault } = lineReaderOf(context)
      const wasSo = removedLinesOf(metric.path, context).some(({ text }) => setsDefault(value, text))
      return wasSo ? [] : [`only one case supports ${value} for ${parameterOf(edit.slot) ?? metric.name}`]
    }
    return wordsAddedBy([edit])
      .filter(({ word }) => plan.cases.filter(({ question }) => containsWords(question, word)).length < 2)
      .filter(({ word }) => findRemovedLine(word, metric.path, context) === undefined)
      .flatMap(({ word }) => {
        const like = findIntendedTerm(word, kb, questions)
        return like === undefined
          ? aliasConcerns(word, edit, metric, edits, { snapshot, kb, context })
          : [describeTypo(word, like)]
      })
  })
}

/** The sources that a word is checked against. */
interface Known {
  readonly snapshot: Snapshot
  readonly kb: KnowledgeBase
  readonly context: RepairContext
}

function describeTypo(word: string, like: string): string {
  return `only one case uses "${word}", and the knowledge base has "${like}": one looks like a typo of the other`
}

function aliasConcerns(
  word: string,
  edit: SlotEdit,
  metric: Metric,
  edits: readonly SlotEdit[],
  known: Known,
): string[] {
  const { kb } = known
  const { slot } = edit
  const [parameter, value] = [parameterOf(slot), valueInSlot(slot)]
  const says = (meaning: string): string[] => [
    `only one case supports "${word}" for ${meaning}, and nothing in the knowledge base relates the two`,
  ]
  if (slot.kind === 'aliases') {
    const owner = previousOwner(word, edits, kb)
    if (owner === undefined) return isNameOf(word, metric, known) ? [] : says(metric.name)
    const isTheirs = isNameOf(word, owner, known) && !isNameOf(word, metric, known)
    return isTheirs
      ? [`only one case supports "${word}" for ${metric.name}; it is a name of ${owner.name}`]
      : []
  }
  if (parameter === undefined || slot.kind === 'default') return []
  if (slot.kind === 'number_words')
    return isNumberWord(word, metric, kb) ? [] : says(`a number of ${parameter}`)
  const sql = expressionOf(edit)
  if (sql !== undefined)
    return coversWords([sql], word) || isUsedElsewhere(word, sql, metric, kb) ? [] : says(sql)
  const code = value ?? codeOf(word, edit)
  const isKnown = code === undefined || isValueName(word, code, metric, parameter, known)
  return isKnown ? [] : says(`${parameter} ${code}`)
}

/** Returns the metric that a plan takes the word from. */
function previousOwner(word: string, edits: readonly SlotEdit[], kb: KnowledgeBase): Metric | undefined {
  const removal = edits.find(
    ({ action, expected }) =>
      action === 'remove' && typeof expected === 'string' && expected.toLowerCase() === word.toLowerCase(),
  )
  return removal && kb.metrics.find(({ id }) => id === removal.entry)
}

function isNameOf(word: string, metric: Metric, { snapshot, kb, context }: Known): boolean {
  const names = metricNames(metric, kb, snapshot, context, word)
  return (
    coversWords(names, word) ||
    noteLinesMentioning(kb, [word]).some((line) => metric.aliases.some((alias) => containsWords(line, alias)))
  )
}

/**
 * Reports whether the word is a number. Numbers follow "top" in any knowledge base; other words must be known
 * for a number elsewhere.
 */
function isNumberWord(word: string, metric: Metric, kb: KnowledgeBase): boolean {
  const others = kb.metrics
    .filter(({ id }) => id !== metric.id)
    .flatMap(({ parameters }) => [...parameters.values()])
  const words = others.flatMap((parameter) => (parameter.type === 'number' ? parameter.words : []))
  return ['top', ...words].some((other) => other.toLowerCase() === word.toLowerCase())
}

/** Returns the code that the word was added to, where a list becomes a map. */
function codeOf(word: string, { value }: SlotEdit): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.entries(value).find(([, words]) => Array.isArray(words) && words.includes(word))?.[0]
}

function isValueName(
  word: string,
  code: string,
  metric: Metric,
  parameter: string,
  { snapshot, kb, context }: Known,
): boolean {
  const same = (other: string): boolean => other.toLowerCase() === word.toLowerCase()
  if (same(code) || isAbbreviationOf(code, word) || isAbbreviationOf(word, code)) return true
  const own = aliasesFor(metric, code, parameter)
  if (isUsedElsewhere(word, code, metric, kb)) return true
  const meaning = contentWords(word).join(' ')
  if (meaning !== '' && coversWords([code, ...own], word)) return true
  const comments = metricNames(metric, kb, snapshot, context).slice(1)
  return [...comments, ...noteLinesMentioning(kb, [word])].some(
    (line) => containsWords(line, word) && containsWords(line, code),
  )
}

/** Returns the expression of a choice's new value. */
function expressionOf({ value }: SlotEdit): string | undefined {
  const sql: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'sql') : undefined
  return typeof sql === 'string' ? sql : undefined
}

/**
 * Reports whether the word has the same value in another metric: the code of an enum, or the name or
 * expression of a choice.
 */
function isUsedElsewhere(word: string, value: string, metric: Metric, kb: KnowledgeBase): boolean {
  const others = kb.metrics.filter(({ id }) => id !== metric.id)
  return others.some((other) =>
    aliasesFor(other, value).some((known) => known.toLowerCase() === word.toLowerCase()),
  )
}

/** Returns the words for a value, given its code, or the name or expression of a choice. */
function aliasesFor(metric: Metric, value: string, only?: string): string[] {
  return [...metric.parameters].flatMap(([name, parameter]) => {
    if (only !== undefined && name !== only) return []
    if (parameter.type === 'enum') return [...(parameter.values.get(value) ?? [])]
    if (parameter.type !== 'choice') return []
    return [...parameter.values].flatMap(([choice, { sql, aliases }]) =>
      choice === value || sql === value ? aliases : [],
    )
  })
}
