import type { SqlCase } from '../../../../benchmark/case.js'
import type { KnowledgeBase } from '../../../../kb/entry.js'
import { findPeriods } from '../../../../kb/find-periods.js'
import { anyValueSpans } from '../../../../kb/parameter-values.js'
import type { Binding, Span } from '../../../../kb/question-interpretation.js'
import { type BindingLiteral, bindingLiterals } from '../../../../kb/render-snippet.js'
import { containsWords } from '../../../../kb/words/contains-words.js'
import { contentWords } from '../../../../kb/words/content-words.js'
import { tokenize } from '../../../../kb/words/tokens.js'
import type { SqlToken } from '../../../../sql/index.js'
import { isNonValueNumber } from './non-value-numbers.js'

/** A case that a plan was made from, with the bindings of its question. */
export interface LeakContext {
  readonly testCase: SqlCase
  readonly bindings: readonly Binding[]
  /** Where its question names the metric, by a word that was known before. */
  readonly name?: Span | undefined
  /** Tokens of its expected query. */
  readonly expected: readonly SqlToken[]
}

/**
 * Returns why a snippet's new literals must not be written, judged by position: copying structure is
 * learning, copying bindings is a leak. Each literal must have been there before, or be shared by all cases
 * of the cluster and absent from their questions, except for the name of the metric in them: the
 * `'emergency'` of "emergency share" is requested by all of them.
 *
 * @param isRestored whether everything new was once written by the author: then none of it was learned from
 * the cases
 * @param isTried whether every case passes with it: then one that spells it otherwise needs no such literal
 */
export function snippetLeaks(
  before: readonly SqlToken[],
  after: readonly SqlToken[],
  cases: readonly LeakContext[],
  isRestored = false,
  isTried = false,
): string[] {
  return addedLiterals(before, after).flatMap((literal) => {
    const bound = findBoundValue(literal, before, cases, isRestored)
    if (bound !== undefined) return [bound]
    if (cases.length > 0 && cases.every((each) => isInPeriodYear(each, literal)))
      return [
        `literal ${literal.text} is in the year that every case asks about: it may belong to the period`,
      ]
    if (isRestored) return []
    const without = cases.find(({ expected }) => !containsLiteral(expected, literal))
    if (
      without !== undefined &&
      !(isTried && cases.some(({ expected }) => containsLiteral(expected, literal)))
    )
      return [`unexplained literal ${literal.text}: case ${without.testCase.id} does not share it`]
    const asking = cases.find(
      (each) => literal.kind === 'string' && containsWords(questionWithoutName(each), literal.value),
    )
    const taken = `the question of case ${asking?.testCase.id} has it, and no parameter matches it`
    return asking === undefined ? [] : [`unexplained literal ${literal.text}: ${taken}`]
  })
}

/** Returns the question without the name of the metric. */
function questionWithoutName({ testCase: { question }, name }: LeakContext): string {
  return name === undefined ? question : `${question.slice(0, name.start)} , ${question.slice(name.end)}`
}

/**
 * Reports whether a case that gives the parameter another value has the literal all the same: the 7 of
 * `substr(day, 1, 7)` equals that of "the last 7 days" by chance.
 */
function isIndependentOf(bound: Binding, literal: SqlToken, cases: readonly LeakContext[]): boolean {
  return cases.some(
    ({ bindings, expected }) =>
      bindings.some(
        (other) =>
          other.parameter === bound.parameter && other.span !== undefined && !bindsTo(other, literal),
      ) && expected.some((token) => token.kind === literal.kind && token.value === literal.value),
  )
}

const maxAliasWords = 4

/**
 * Returns why a text must not become an alias: it must be a span of the question, of at most four words,
 * without a value, and without a collision.
 *
 * @param before the knowledge without it: once the alias is known, its meaning is a value
 * @param isRestored whether it is a word that the author once wrote
 */
export function aliasLeaks(
  alias: string,
  owner: string,
  before: KnowledgeBase,
  after: KnowledgeBase,
  cases: readonly LeakContext[],
  isRestored = false,
): string[] {
  const problems = isRestored ? [] : learnedWordLeaks(alias, owner, before, cases)
  const folded = alias.toLowerCase()
  const taken = [...after.metrics, ...after.broken].find(
    (metric) => metric.id !== owner && metric.aliases.some((other) => other.toLowerCase() === folded),
  )
  if (taken !== undefined) problems.push(`alias "${alias}" already means ${taken.id}`)
  return problems
}

function learnedWordLeaks(
  alias: string,
  owner: string,
  before: KnowledgeBase,
  cases: readonly LeakContext[],
): string[] {
  const problems: string[] = []
  if (alias.split(/\s+/).length > maxAliasWords)
    problems.push(`alias "${alias}" is longer than ${maxAliasWords} words`)
  if (contentWords(alias).length === 0) problems.push(`alias "${alias}" has only stop words`)
  if (!cases.some(({ testCase }) => containsWords(testCase.question, alias)))
    problems.push(`alias "${alias}" is not a span of the question`)
  const value = valueIn(alias, owner, before, cases)
  if (value !== undefined) problems.push(`alias "${alias}" contains the value "${value}"`)
  return problems
}

/**
 * Returns why a text must not become a metric's title: a title applies to every question, and contains no
 * value of one.
 */
export function titleLeaks(
  title: string,
  owner: string,
  before: KnowledgeBase,
  cases: readonly LeakContext[],
): string[] {
  const value = valueIn(title, owner, before, cases)
  return value === undefined ? [] : [`title "${title}" contains the value "${value}"`]
}

/**
 * Returns why the expression of a choice must not be written. Unlike those of a snippet, its literals need
 * not be shared by every case, which may ask for another choice, and may be words of the question, which
 * names the choice: but none may be the value of another parameter, and some expected query must have it.
 */
export function choiceLeaks(
  before: readonly SqlToken[],
  after: readonly SqlToken[],
  cases: readonly LeakContext[],
  isRestored = false,
): string[] {
  return addedLiterals(before, after).flatMap((literal) => {
    const bound = findBoundValue(literal, before, cases, isRestored)
    if (bound !== undefined) return [bound]
    const known = isRestored || cases.some(({ expected }) => containsLiteral(expected, literal))
    return known ? [] : [`unexplained literal ${literal.text}: no expected query has it`]
  })
}

/** Returns the parameter to which a question gives the literal as its value, in words. */
function findBoundValue(
  literal: SqlToken,
  before: readonly SqlToken[],
  cases: readonly LeakContext[],
  isRestored: boolean,
): string | undefined {
  for (const { testCase, bindings } of cases) {
    const bound = bindings.find((binding) => binding.span !== undefined && bindsTo(binding, literal))
    if (bound === undefined || isIndependentOf(bound, literal, cases)) continue
    const placeholder = numbersOf(bound).find(([, value]) => value === Number(literal.value))?.[0]
    // A number that has a placeholder already may be there for another reason.
    const isEither =
      placeholder !== undefined &&
      hasPlaceholder(placeholder, before) &&
      sharedNumber(placeholder, cases) !== undefined
    if (!isEither)
      return `literal ${literal.text} is the value of ${bound.parameter} in case ${testCase.id}: it belongs in a placeholder`
    if (!isRestored)
      return describeAmbiguousNumber(`${literal.text} or {{ ${placeholder} }}`, placeholder, literal.text)
  }
  return undefined
}

/**
 * Reports whether a number of the question is used where the question refers to it; no question states the
 * length of its period as a number.
 */
export function hasPlaceholder(placeholder: string, tokens: readonly SqlToken[]): boolean {
  return (
    isLength(placeholder) || tokens.some(({ kind, value }) => kind === 'placeholder' && value === placeholder)
  )
}

function isLength(placeholder: string): boolean {
  return placeholder.endsWith('.days')
}

/** Returns the number that a placeholder has, if it is a number and equal in all cases. */
export function sharedNumber(placeholder: string, cases: readonly LeakContext[]): number | undefined {
  const [first, ...others] = cases.map(
    ({ bindings }) => bindings.flatMap(numbersOf).find(([name]) => name === placeholder)?.[1],
  )
  return others.every((other) => other === first) ? first : undefined
}

function numbersOf(binding: Binding): (readonly [placeholder: string, value: number])[] {
  return bindingLiterals(binding).flatMap(({ placeholder, value }) =>
    value.kind === 'number' ? [[placeholder, value.value] as const] : [],
  )
}

/** Describes that a number and a placeholder are equal in every case. */
export function describeAmbiguousNumber(which: string, placeholder: string, value: number | string): string {
  return `${which}: every case asks for ${value}${isLength(placeholder) ? ' days' : ''}, so the cases cannot decide`
}

/**
 * Returns a value of the question or of the metric, a number that a parameter has, or a period: by name or by
 * default.
 */
function valueIn(
  alias: string,
  owner: string,
  kb: KnowledgeBase,
  cases: readonly LeakContext[],
): string | undefined {
  const bindings = cases.flatMap((each) => each.bindings)
  const said = bindings.flatMap(({ span }) => (span === undefined ? [] : [span.text]))
  const numbers = bindings.flatMap(({ value }) => (value.kind === 'number' ? [String(value.value)] : []))
  const metrics = kb.metrics.filter((metric) => metric.id === owner)
  return (
    [...said, ...numbers].find((text) => containsWords(alias, text)) ??
    anyValueSpans(alias, tokenize(alias), metrics)[0]?.text ??
    findPeriods(alias, referenceDay)[0]?.span.text
  )
}

/** Only whether words name a period matters here, not which one. */
const referenceDay = '2025-12-31'

function addedLiterals(before: readonly SqlToken[], after: readonly SqlToken[]): SqlToken[] {
  const isLiteral = (token: SqlToken): boolean => token.kind === 'string' || token.kind === 'number'
  const known = new Set(before.filter(isLiteral).map((token) => `${token.kind}:${token.value}`))
  return after.filter(
    (token, index) =>
      isLiteral(token) && !known.has(`${token.kind}:${token.value}`) && !isNonValueNumber(after, index),
  )
}

function bindsTo(binding: Binding, literal: SqlToken): boolean {
  return bindingLiterals(binding).some(({ value }) => isValue(value, literal))
}

/**
 * Reports whether the literal is the value: for a period also its days, its month or its year; a 1 may be
 * anything.
 */
function isValue(value: BindingLiteral['value'], literal: SqlToken): boolean {
  switch (value.kind) {
    case 'text':
      return literal.kind === 'string' && value.text === literal.value
    case 'number':
      return literal.kind === 'number' && value.value !== 1 && value.value === Number(literal.value)
    case 'date':
      return (
        literal.value.length >= 'yyyy'.length &&
        (literal.value.startsWith(value.text) || value.text.startsWith(literal.value))
      )
    case 'sql':
      return false
  }
}

/**
 * Reports whether the literal is a date in the year of the period: the start of "year to date", or a fixed
 * day. Only a case of another year distinguishes them.
 */
function isInPeriodYear({ bindings }: LeakContext, literal: SqlToken): boolean {
  const year = /^\d{4}(?=-\d\d)/.exec(literal.value)?.[0]
  return (
    year !== undefined &&
    bindings.some(
      ({ value, span }) =>
        value.kind === 'date_range' &&
        span !== undefined &&
        (value.start.startsWith(year) || value.end.startsWith(year)),
    )
  )
}

function containsLiteral(tokens: readonly SqlToken[], literal: SqlToken): boolean {
  return tokens.some((token) => token.kind === literal.kind && token.value === literal.value)
}
