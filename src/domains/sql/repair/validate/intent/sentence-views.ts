import { maskComments } from '../../../../../kb/claims/mask-sql.js'
import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import { columnsComparedWith, rowEffect } from './row-effect.js'
import { includesTerm, type SqlTerm, type TermDifference, tokenizeSql } from './sql-terms.js'
import { contradicts, type Stance, stanceOf } from './stance.js'
import { namesOf } from './statements.js'
import { mentionsOf } from './term-mentions.js'

/** A file with and without the plan. */
export interface PlannedFile {
  readonly path: string
  readonly today: string
  readonly planned: string
  readonly isQuery: boolean
  readonly difference: TermDifference
  readonly metrics: readonly Metric[]
}

/** The terms of a change that a plan undoes, and the columns and values of the conditions that it is about. */
export interface UndoneTerms {
  readonly terms: readonly SqlTerm[]
  readonly conditions: readonly SqlTerm[]
  /** Text of the file before the change. */
  readonly before: string
}

export interface View {
  /** Whether a sentence opposes the plan, supports it, or only names what it changes. */
  readonly view: 'against' | 'for' | 'named'
  /** Whether it mentions a changed term, and not only the column of its condition. */
  readonly isCore: boolean
  /**
   * Whether the sentence is about these rows beyond doubt: it has the term's own words, and what the query does
   * with the rows is known, with and without the plan; or it has a name that only an identifier looks like.
   */
  readonly isCertain: boolean
}

/** Returns how sentences view what a plan does with the terms: one view for each mention. */
export function viewsOf(
  sentences: readonly string[],
  { terms, conditions, before }: UndoneTerms,
  file: PlannedFile,
  kb: KnowledgeBase,
  from: 'title' | 'text' = 'text',
): View[] {
  const [today, planned] = [file.today, file.planned].map((text) =>
    file.isQuery ? maskComments(text) : text,
  )
  const others = conditions.filter((term) => !includesTerm(terms, term))
  return sentences.flatMap((written) => {
    // A metric's title is one of its names.
    const sentence = from === 'title' ? written : withoutNames(written, file.metrics)
    return [
      ...terms.map((term) => [term, true] as const),
      ...others.map((term) => [term, false] as const),
    ].flatMap(([term, isCore]) => {
      const mentions = mentionsOf(term, sentence, synonymsOf(term, kb))
      if (mentions.length === 0) return []
      const compared = [today, planned, before].flatMap((text) => columnsComparedWith(term.text, text ?? ''))
      const opposes = (stance: Stance, text: string): boolean =>
        contradicts(stance, rowEffect(term, text, compared), isPresent(term, text, file.isQuery))
      return mentions.map((mention): View => {
        const stance = stanceOf(sentence, mention)
        const [now, then] = [opposes(stance, today ?? ''), opposes(stance, planned ?? '')]
        const view = then && !now ? 'against' : now && !then ? 'for' : 'named'
        const isKnown = [today, planned].every((text) => rowEffect(term, text ?? '', compared) !== undefined)
        const words = sentence.slice(mention.start, mention.end)
        const isCertain = isKnown
          ? hasOwnWords(words, term)
          : words.includes('_') && words.toLowerCase() === term.text
        return { view, isCore, isCertain }
      })
    })
  })
}

/** Reports whether a sentence names one of the terms outside the names of the file's metrics. */
export function namesTerm(
  sentence: string,
  terms: readonly SqlTerm[],
  { metrics }: PlannedFile,
  kb: KnowledgeBase,
): boolean {
  const text = withoutNames(sentence, metrics)
  return terms.some((term) => mentionsOf(term, text, synonymsOf(term, kb)).length > 0)
}

/** Reports whether a mention has the words of a term itself, except for a plural: "shipping" is not `shipped`. */
function hasOwnWords(mention: string, { text }: SqlTerm): boolean {
  const words = (phrase: string): string[] =>
    phrase
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .map((word) => word.replace(/(?<=\w{3})s$/u, ''))
  const own = new Set(words(text))
  return words(mention).every((word) => own.has(word))
}

function isPresent(term: SqlTerm, text: string, isQuery: boolean): boolean {
  if (!isQuery) return text.includes(term.text)
  return tokenizeSql(text).some((token) => token.term?.text === term.text)
}

/** Blanks the names of the metrics: "active users" does not name the column `is_active`. */
export function withoutNames(sentence: string, metrics: readonly Metric[]): string {
  return metrics
    .flatMap(namesOf)
    .sort((a, b) => b.length - a.length)
    .reduce((text, phrase) => blanked(text, phrase), sentence)
}

function blanked(text: string, phrase: string): string {
  const at = text.toLowerCase().indexOf(phrase.toLowerCase())
  if (at === -1) return text
  const isWhole =
    !/[\p{L}\p{N}_]/u.test(`${text[at - 1] ?? ' '}`) &&
    !/[\p{L}\p{N}_]/u.test(text[at + phrase.length] ?? ' ')
  return isWhole ? text.slice(0, at) + '·'.repeat(phrase.length) + text.slice(at + phrase.length) : text
}

/** Returns the words that the knowledge base has for a value. */
function synonymsOf({ kind, text }: SqlTerm, kb: KnowledgeBase): string[] {
  if (kind !== 'literal') return []
  return kb.metrics.flatMap(({ parameters }) =>
    [...parameters.values()].flatMap((parameter) =>
      parameter.type === 'enum' ? [...(parameter.values.get(text) ?? [])] : [],
    ),
  )
}
