import { describe, expect, it } from 'vitest'
import { adjacentParameterNames, matchesParameterName } from '../../../src/kb/words/adjacent-names.js'
import { containsWords } from '../../../src/kb/words/contains-words.js'
import { contentWords, leftoverSpans } from '../../../src/kb/words/content-words.js'
import { foldWords } from '../../../src/kb/words/fold-words.js'
import { findMentions, indexPhrases, longestMentions, phraseOf } from '../../../src/kb/words/phrases.js'
import { spanOf, tokenize } from '../../../src/kb/words/tokens.js'

it('words are compared without regard to case and spacing', () => {
  expect(foldWords('  Daily\n Active USERS ')).toBe('daily active users')
})

it.each([
  ['Gross  margin of ID', 'gross margin', true],
  ['gross margins', 'gross margin', false],
  ['c++ code', 'c++', true],
  ['müller', 'ller', false],
])('%j contains the words %j: %s', (text, words, contains) => {
  expect(containsWords(text, words)).toBe(contains)
})

it.each([
  ['show me the revenue by region', ['revenue', 'region']],
  ['order_count per day', ['order', 'count', 'day']],
  ['what is it', []],
])('the content words of %j are %j', (phrase, words) => {
  expect(contentWords(phrase)).toEqual(words)
})

describe('what no span of a question covers', () => {
  const leftover = (question: string, covered: string): readonly string[] => {
    const start = question.indexOf(covered)
    return leftoverSpans(question, [spanOf(question, start, start + covered.length)]).map(({ text }) => text)
  }

  it.each([
    ['revenue of the new shops', ['new shops']],
    ['the revenue, please', []],
    ['revenue in MY', ['MY']],
    ['revenue > 100', ['> 100']],
  ])('in %j is %j', (question, texts) => {
    expect(leftover(question, 'revenue')).toEqual(texts)
  })
})

describe('the name of a parameter beside its value', () => {
  it.each([
    ['the western region', 'region', 'western', ['region']],
    ['segment: business', 'segment', 'business', ['segment']],
    ['the western sales region', 'region', 'western', []],
  ])('in %j', (question, parameter, value, names) => {
    const start = question.indexOf(value)
    const span = spanOf(question, start, start + value.length)
    const found = adjacentParameterNames(question, tokenize(question), [{ parameter, span }])
    expect(found.map(({ text }) => text)).toEqual(names)
  })

  it('may be in singular or plural', () => {
    expect(matchesParameterName('minute', ['minutes'])).toBe(true)
    expect(matchesParameterName('minutes', ['minute'])).toBe(true)
    expect(matchesParameterName('minute', ['hours'])).toBe(false)
  })
})

it('of mentions that overlap the longest is kept, and those of the same words beside it', () => {
  const index = indexPhrases([
    phraseOf('gross margin', 'margin'),
    phraseOf('gross', 'gross'),
    phraseOf('GROSS MARGIN', 'other'),
    phraseOf('MY', 'Malaysia', true),
  ])
  const question = 'gross margin of my shop'
  const found = findMentions(question, tokenize(question), index, [])
  expect(found.map(({ meaning }) => meaning)).toEqual(['margin', 'gross', 'other'])
  expect(longestMentions(found).map(({ meaning }) => meaning)).toEqual(['margin', 'other'])
})
