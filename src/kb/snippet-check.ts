import { detectLineEnding } from '../snapshot/line-endings.js'
import { nearest } from '../text/nearest-word.js'
import type { KbProblem, Metric, Parameter, Snippet } from './entry.js'
import { quotedRegions } from './quoted-regions.js'
import { findPlaceholders, type Placeholder, periodProperties } from './render-snippet.js'

/** Returns the problems that keep a snippet from being rendered with the parameters of a metric. */
export function checkSnippet(snippet: Snippet, metric: Metric): KbProblem[] {
  const found = findPlaceholders(snippet.text)
  const problem = (offset: number, message: string, hint: string): KbProblem => ({
    severity: 'error',
    path: snippet.path,
    ...positionOf(snippet.text, offset),
    message,
    hint,
    entry: metric.id,
  })
  const problems = malformedPlaceholders(snippet.text, found).map((offset) =>
    problem(
      offset,
      `not a placeholder: ${excerpt(snippet.text, offset)}`,
      'Write {{ name }} or {{ period.start }}.',
    ),
  )
  const regions = found.length === 0 ? [] : quotedRegions(snippet.text)
  for (const placeholder of found) {
    const written = placeholderText(placeholder)
    const region = regions.find(({ start, end }) => start < placeholder.start && placeholder.start < end)
    if (region !== undefined) {
      const isUnended = region.kind === 'comment' && detectLineEnding(snippet.text) === '\r'
      const why = isUnended ? ', as its lines end in CR only' : ''
      const hint = isUnended
        ? 'Save the file with LF line ends.'
        : 'A value is rendered as a complete SQL literal: move the placeholder out, without quotes around it.'
      const message = `placeholder ${written} is inside a ${region.kind}${why}`
      problems.push(problem(placeholder.start, message, hint))
    }
    const parameter = metric.parameters.get(placeholder.name)
    if (parameter === undefined) {
      problems.push(
        problem(
          placeholder.start,
          `placeholder ${written} is not a parameter of metric ${metric.name}`,
          suggestHint(placeholder.name, [...metric.parameters.keys()], `Declare it in ${metric.path}.`),
        ),
      )
      continue
    }
    const fault = propertyFault(placeholder, parameter)
    if (fault !== undefined) problems.push(problem(placeholder.start, fault.message, fault.hint))
  }
  return problems
}

/**
 * Returns declared parameters that the snippet does not use: a value in the question would change nothing.
 */
export function unusedParameters(snippet: Snippet, metric: Metric): string[] {
  const used = new Set(findPlaceholders(snippet.text).map(({ name }) => name))
  return [...metric.parameters.keys()].filter((name) => !used.has(name))
}

/** Returns `did you mean …?` if a word is similar, else the given advice. */
export function suggestHint(word: string, words: Iterable<string>, otherwise: string): string {
  const guess = nearest(word, words)
  return guess === undefined ? otherwise : `did you mean \`${guess}\`?`
}

/** Returns the offsets of `{{` that begin no well-formed placeholder. */
function malformedPlaceholders(text: string, found: readonly Placeholder[]): number[] {
  const starts = new Set(found.map(({ start }) => start))
  return [...text.matchAll(/\{\{/g)].map(({ index }) => index).filter((index) => !starts.has(index))
}

function propertyFault(
  { name, property }: Placeholder,
  parameter: Parameter,
): { readonly message: string; readonly hint: string } | undefined {
  if (parameter.type !== 'date_range') {
    if (property === undefined) return undefined
    return { message: `${name} has no \`${property}\``, hint: `Write {{ ${name} }}.` }
  }
  const properties: readonly string[] = periodProperties
  if (property !== undefined && properties.includes(property)) return undefined
  const all = properties.map((known) => `{{ ${name}.${known} }}`).join(', ')
  if (property === undefined) return { message: `${name} is a period, not one value`, hint: `Use ${all}.` }
  return { message: `${name} has no \`${property}\``, hint: suggestHint(property, properties, `Use ${all}.`) }
}

function placeholderText({ name, property }: Placeholder): string {
  return property === undefined ? `{{ ${name} }}` : `{{ ${name}.${property} }}`
}

function excerpt(text: string, offset: number): string {
  return text.slice(offset, offset + 30).split('\n')[0] ?? ''
}

/** Returns line and column of an offset in UTF-16 code units, both from 1. */
export function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}
