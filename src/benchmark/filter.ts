import { AutotestError } from '../errors.js'
import { nearest } from '../text/nearest-word.js'
import type { BenchmarkCase } from './case.js'

export interface CaseFilter {
  /** Any of these; absent or empty: all. */
  readonly tags?: readonly string[] | undefined
  /** All of these must exist; absent or empty: all. */
  readonly ids?: readonly string[] | undefined
}

/**
 * Returns the cases that have any of the tags and one of the ids, in their order. Throws `no_case_matched` if
 * there are none.
 */
export function filterCases<C extends BenchmarkCase>(cases: readonly C[], filter: CaseFilter): readonly C[] {
  const tags = filter.tags ?? []
  const ids = filter.ids ?? []
  const unknown = ids.filter((id) => !cases.some((item) => item.id === id))
  if (unknown.length > 0)
    throw nothingMatched(unknown.map((id) => `--id ${id}`).join(' '), idHint(unknown, cases))
  const matched = cases.filter(
    (item) =>
      (ids.length === 0 || ids.includes(item.id)) &&
      (tags.length === 0 || tags.some((tag) => item.tags.includes(tag))),
  )
  if (matched.length > 0) return matched
  const flags = [...ids.map((id) => `--id ${id}`), ...(tags.length > 0 ? [`--tags ${tags.join(',')}`] : [])]
  throw nothingMatched(flags.join(' '), tagHint(tags, cases))
}

function nothingMatched(what: string, hint: string): AutotestError {
  return new AutotestError('no_case_matched', `nothing matched: ${what}`, { hint })
}

function idHint(unknown: readonly string[], cases: readonly BenchmarkCase[]): string {
  const ids = cases.map((item) => item.id)
  return didYouMean(unknown, ids) ?? `ids here: ${listed(ids)}`
}

function tagHint(tags: readonly string[], cases: readonly BenchmarkCase[]): string {
  const known = [...new Set(cases.flatMap((item) => item.tags))].sort()
  const here = known.length === 0 ? 'the cases here have no tags' : `tags here: ${listed(known)}`
  const guess = didYouMean(
    tags.filter((tag) => !known.includes(tag)),
    known,
  )
  return guess === undefined ? here : `${guess} ${here}`
}

function didYouMean(words: readonly string[], known: readonly string[]): string | undefined {
  const guesses = words.map((word) => nearest(word, known)).filter((guess) => guess !== undefined)
  return guesses.length === 0
    ? undefined
    : `did you mean ${guesses.map((guess) => `\`${guess}\``).join(', ')}?`
}

function listed(words: readonly string[]): string {
  const most = 20
  return words.length > most
    ? `${words.slice(0, most).join(', ')} and ${words.length - most} more`
    : words.join(', ')
}
