import type { Edit } from '../../../../../edit/edit-types.js'
import { collectRemarks } from '../../../../../kb/claims/documentation-remarks.js'
import type { KnowledgeBase } from '../../../../../kb/entry.js'
import { quotedRegions } from '../../../../../kb/quoted-regions.js'
import { bindingLiterals } from '../../../../../kb/render-snippet.js'
import { containsWords } from '../../../../../kb/words/contains-words.js'
import { readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import { literalPattern } from '../../../../../text/literal-pattern.js'
import type { Diagnosis } from '../../model/sql-repair-types.js'

/** A knowledge base and the files it was read from. */
interface KnowledgeState {
  readonly kb: KnowledgeBase
  readonly snapshot: Snapshot
}

/** Prose that a plan adds: it applies to every question, and the agent reads it, too. */
interface AddedProse {
  readonly from: 'note' | 'comment' | 'title'
  readonly path: string
  readonly text: string
}

const maxCharacters = 300

/** Phrases that address a model and nobody who reads SQL. */
const instructions = [
  /\b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:instructions?|rules|above|previous|prior|prompts?)\b/i,
  /\b(?:always|never|must|only)\s+(?:answer|respond|reply)\b/i,
  /\b(?:system|developer)\s+(?:prompt|message)\b|\byou are\b|\bas an? (?:ai|assistant)\b/i,
  /<\/?\s*(?:file|system|user|assistant|tool|question)\b/i,
  /\b(?:ignore|disregard|(?:do not|don't|never)\s+use|instead of|whatever)\b[^.]{0,40}\b(?:snippets?|metrics?|definitions?|quer(?:y|ies))\b/i,
] as const

/**
 * Words about questions and answers: knowledge is about data, and advice about answering addresses whoever
 * answers.
 */
const questionAnswerWords =
  /\b(?:ask(?:s|ed|ing)?|questions?|answer(?:s|ed|ing)?|repl(?:y|ies|ied|ying)|respond(?:s|ed|ing)?|prompts?)\b/gi
/** Number of letters that distinguish these words, whatever their endings. */
const stemLength = 3
/** Matches the beginning of a query, and not a sentence about selecting something. */
const query = /\bselect\s+(?:distinct\s|\*|[\w.]+\s*[,(]|[\w.]+\s+as\s|[\w.]+\s+from\s+\S+\s+where\s)/i

/**
 * Returns why comments, titles and notes that a model adds must not be written: they contain what a single
 * case asks or expects, a query, an instruction, or more than a remark. What the file contained before is not
 * reported.
 */
export function findProseProblem(
  before: KnowledgeState,
  after: KnowledgeState,
  edits: readonly Edit[],
  diagnoses: readonly Diagnosis[],
): string | undefined {
  for (const prose of addedProse(before, after, edits)) {
    const known = readText(before.snapshot, prose.path) ?? ''
    const now = prose.from === 'note' ? (readText(after.snapshot, prose.path) ?? '') : prose.text
    const found =
      findTextProblem(prose, known, diagnoses) ??
      findAnsweringAdvice(prose, known, before) ??
      (prose.from === 'note' ? findQuestionValue(now, known, diagnoses) : undefined) ??
      findUnexplainedNumber(prose, known, after, diagnoses)
    if (found !== undefined) return `${prose.path}: a ${prose.from} ${found}`
  }
  return undefined
}

function addedProse(before: KnowledgeState, after: KnowledgeState, edits: readonly Edit[]): AddedProse[] {
  const paths = new Set(edits.map(({ path }) => path))
  // A metric without a title uses its name as title.
  const names = new Set(after.kb.metrics.map(({ name }) => name))
  const remarks = ({ kb, snapshot }: KnowledgeState): AddedProse[] =>
    collectRemarks(kb, (path) => readText(snapshot, path) ?? '').filter(
      ({ from, path, text }) => from !== 'note' && paths.has(path) && !(from === 'title' && names.has(text)),
    )
  const known = new Set(remarks(before).map(keyOf))
  const notes = edits.flatMap((edit): AddedProse[] =>
    'search' in edit && isNote(edit.path, after.kb)
      ? [{ from: 'note', path: edit.path, text: edit.replace }]
      : [],
  )
  const added = remarks(after).filter((remark) => !known.has(keyOf(remark)))
  // Several comments of a file together may contain what none contains alone.
  const together = new Map<string, AddedProse>()
  for (const { from, path, text } of added) {
    const key = `${from}\0${path}`
    together.set(key, { from, path, text: [together.get(key)?.text ?? [], text].flat().join('\n') })
  }
  return [...together.values(), ...notes]
}

function keyOf({ from, path, text }: AddedProse): string {
  return `${from}\0${path}\0${text}`
}

function findTextProblem(
  { from, text }: AddedProse,
  known: string,
  diagnoses: readonly Diagnosis[],
): string | undefined {
  if (from !== 'note' && text.length > maxCharacters)
    return `of ${text.length} characters is more than a remark (at most ${maxCharacters})`
  if (instructions.some((pattern) => pattern.test(text) && !pattern.test(known)))
    return 'may not tell a model what to do'
  if (from === 'comment' ? /\bselect\b.*\bfrom\b/is.test(text) : query.test(text) && !query.test(known))
    return 'may not contain a query'
  for (const { evaluation, interpretation } of diagnoses) {
    const { id, question } = evaluation.testCase
    if (/[\d_-]/.test(id) && containsWords(text, id) && !containsWords(known, id))
      return `names the case ${id}`
    if (normalizeWords(text).includes(normalizeWords(question))) return 'repeats the question of a case'
    for (const binding of from === 'comment' ? interpretation.bindings : []) {
      const said = [binding.span?.text, ...bindingLiterals(binding).map(({ value }) => wordOf(value))]
      const leak = said.find(
        (word) => word !== undefined && containsWords(text, word) && !containsWords(known, word),
      )
      if (binding.span !== undefined && leak !== undefined)
        return `contains "${leak}", the ${binding.parameter} of a question`
    }
  }
  return undefined
}

/**
 * Finds words about asking and answering that neither the file nor the names and queries of the knowledge
 * base have: in a help desk's data, tickets are answered.
 */
function findAnsweringAdvice(
  { text }: AddedProse,
  known: string,
  { kb }: KnowledgeState,
): string | undefined {
  const names = kb.metrics.flatMap(({ name, title, aliases }) => [
    name.replaceAll('_', ' '),
    title,
    ...aliases,
  ])
  const said = [
    known,
    ...names,
    ...[...kb.snippets.values()].map((snippet) => snippet.text.replaceAll('_', ' ')),
  ]
  const found = text.match(questionAnswerWords)?.find((word) => {
    const stem = word.toLowerCase().slice(0, stemLength)
    return !said.some((other) =>
      other.match(questionAnswerWords)?.some((each) => each.toLowerCase().startsWith(stem)),
    )
  })
  return found === undefined ? undefined : `is about how to answer ("${found}"), not about the data`
}

/** Finds a value of a question, in any of its forms, that the note has more often than before. */
function findQuestionValue(now: string, known: string, diagnoses: readonly Diagnosis[]): string | undefined {
  for (const { interpretation } of diagnoses) {
    for (const { parameter, value, span } of interpretation.bindings) {
      if (span === undefined) continue
      const declared = interpretation.metric?.parameters.get(parameter)
      const others =
        value.kind === 'enum' && declared?.type === 'enum'
          ? [value.code, ...(declared.values.get(value.code) ?? [])].filter((word) => word.length > 2)
          : value.kind === 'date_range'
            ? (span.text.match(/\p{L}{3,}/gu) ?? []).filter((word) => months.test(word))
            : []
      const found = [span.text, ...others].find(
        (word) => countOccurrences(now, word) > countOccurrences(known, word),
      )
      if (found !== undefined)
        return `may not contain "${found}", the ${parameter} of a question: it applies to every question`
    }
  }
  return undefined
}

const months = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*$/i

/**
 * Counts whole-word occurrences in a text, ignoring case except for months: "may" is a verb, "May" a month.
 */
function countOccurrences(text: string, words: string): number {
  const pattern = literalPattern(words).replaceAll(/\s+/g, '\\s+')
  return [
    ...text.matchAll(
      new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, months.test(words) ? 'gu' : 'giu'),
    ),
  ].length
}

/**
 * Returns the text of a value to search for; of a date only its year and month, as a period has its own days.
 */
function wordOf(value: ReturnType<typeof bindingLiterals>[number]['value']): string | undefined {
  if (value.kind === 'date') return value.text.slice(0, 'yyyy-mm'.length)
  return value.kind === 'text' ? value.text : undefined
}

function normalizeWords(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')
}

/**
 * Finds a number that an expected result has, or one that is long and does not occur in the SQL beside it.
 */
function findUnexplainedNumber(
  { text, path }: AddedProse,
  known: string,
  { kb, snapshot }: KnowledgeState,
  diagnoses: readonly Diagnosis[],
): string | undefined {
  const metric = kb.metrics.find((each) => each.path === path)
  const sql = metric === undefined ? readText(snapshot, path) : kb.snippets.get(metric.snippet)?.text
  const explained = new Set([
    ...numbersIn(known),
    ...numbersIn(isNote(path, kb) ? '' : stripComments(sql ?? '')),
  ])
  const expected = new Set(diagnoses.flatMap(expectedCells))
  const found = numbersIn(text).find(
    (each) =>
      !explained.has(each) &&
      ((each.length > 1 && expected.has(each)) || (/\d{3}/.test(each) && !/^(?:19|20)\d\d$/.test(each))),
  )
  return found === undefined
    ? undefined
    : `contains ${found.slice(0, 40)}, which no query in the same entry explains`
}

function isNote(path: string, { notes }: KnowledgeBase): boolean {
  return notes.some((note) => note.path === path)
}

function numbersIn(text: string): string[] {
  return (text.match(/\d[\d.,_]*\d|\d/g) ?? []).map((each) => each.replaceAll(/[,_]/g, ''))
}

/** Returns a query without its comments. */
function stripComments(sql: string): string {
  const comments = quotedRegions(sql).filter(({ kind }) => kind === 'comment')
  return comments.reduceRight((text, { start, end }) => `${text.slice(0, start)} ${text.slice(end)}`, sql)
}

/** Returns values of rows that the expected query returns and the answer did not. */
function expectedCells({ evaluation: { score } }: Diagnosis): string[] {
  if (score.results?.kind !== 'mismatch') return []
  return score.results.comparison.differences.flatMap((difference) => {
    if (difference.kind === 'missing') return difference.row.map(String)
    return difference.kind === 'changed' ? difference.expected.map(String) : []
  })
}
