import type { Dialect } from '../enums/dialect.js'
import { AutotestError } from '../errors.js'
import { type LiteralValue, renderLiteral } from '../sql/index.js'
import type { Metric, Snippet } from './entry.js'
import { addDays, isoDate, parseIsoDate } from './period/calendar.js'
import type { Binding, Period } from './question-interpretation.js'
import { quotedRegions } from './quoted-regions.js'

export interface Placeholder {
  readonly name: string
  /** `start` in `{{ period.start }}`. */
  readonly property: string | undefined
  /** Offsets of the braces in UTF-16 code units, end exclusive. */
  readonly start: number
  readonly end: number
}

export type RenderOutcome =
  | { readonly kind: 'sql'; readonly sql: string }
  | { readonly kind: 'problem'; readonly message: string }

/** The replacement of one placeholder: a value, or an expression that the metric's author listed. */
export interface BindingLiteral {
  /** `market`, `period.end_exclusive`. */
  readonly placeholder: string
  readonly value: LiteralValue | { readonly kind: 'sql'; readonly sql: string }
}

/** Properties of a period in a placeholder. */
export const periodProperties = ['start', 'end', 'end_exclusive', 'days'] as const

const parameterName = String.raw`[\p{L}_][\p{L}\p{M}\p{N}_]*`
const placeholderPattern = new RegExp(String.raw`\{\{\s*(${parameterName})(?:\.([A-Za-z_]\w*))?\s*\}\}`, 'gu')
const wholeName = new RegExp(`^${parameterName}$`, 'u')
const dayMs = 86_400_000

/**
 * Reports whether a name can be written in a placeholder: letters of any language, digits and underscores.
 */
export function isParameterName(name: string): boolean {
  return wholeName.test(name)
}

/** Returns the well-formed placeholders of a snippet, in order. */
export function findPlaceholders(text: string): Placeholder[] {
  return [...text.matchAll(placeholderPattern)].map((match) => ({
    name: match[1] ?? '',
    property: match[2],
    start: match.index,
    end: match.index + match[0].length,
  }))
}

/** Returns every placeholder that a binding fills, with its value. */
export function bindingLiterals(binding: Binding): BindingLiteral[] {
  const { parameter, value } = binding
  switch (value.kind) {
    case 'enum':
      return [{ placeholder: parameter, value: { kind: 'text', text: value.code } }]
    case 'number':
      return [{ placeholder: parameter, value: { kind: 'number', value: value.value } }]
    case 'choice':
      return [{ placeholder: parameter, value: { kind: 'sql', sql: value.sql } }]
    case 'date_range':
      return periodLiterals(parameter, value)
  }
}

/**
 * Returns the snippet with typed literals in place of its placeholders; all else stays as the author wrote
 * it, except for a byte order mark. A value never becomes bare text: only an expression that the metric
 * itself lists does.
 */
export function renderSnippet(
  snippet: Snippet,
  metric: Metric,
  bindings: readonly Binding[],
  dialect: Dialect,
): RenderOutcome {
  const values = new Map<string, string>()
  try {
    for (const { placeholder, value } of bindings.flatMap(bindingLiterals)) {
      const sql =
        value.kind === 'sql'
          ? listedExpression(metric, placeholder, value.sql)
          : renderLiteral(value, dialect)
      if (sql === undefined) return problem(`${metric.path} has no such expression for ${placeholder}`)
      values.set(placeholder, sql)
    }
  } catch (error) {
    if (!(error instanceof AutotestError)) throw error
    return problem(error.message)
  }
  const regions = quotedRegions(snippet.text, dialect)
  let sql = ''
  let from = snippet.text.startsWith('\uFEFF') ? 1 : 0
  for (const { name, property, start, end } of findPlaceholders(snippet.text)) {
    const placeholder = property === undefined ? name : `${name}.${property}`
    const value = values.get(placeholder)
    if (value === undefined) return problem(`{{ ${placeholder} }} has no value`)
    // A value that is no literal there could end the text or comment around it.
    const region = regions.find((each) => each.start < start && start < each.end)
    if (region !== undefined) return problem(`{{ ${placeholder} }} is inside a ${region.kind} of ${dialect}`)
    sql += snippet.text.slice(from, start) + value
    from = end
  }
  return { kind: 'sql', sql: sql + snippet.text.slice(from) }
}

function periodLiterals(parameter: string, { start, end }: Period): BindingLiteral[] {
  const [first, last] = [parseIsoDate(start), parseIsoDate(end)]
  if (first === undefined || last === undefined) {
    throw new AutotestError('kb_invalid', `${parameter} from "${start}" to "${end}" is not a period`, {
      hint: 'Write days as YYYY-MM-DD.',
    })
  }
  const days = Math.round((last.getTime() - first.getTime()) / dayMs) + 1
  return [
    { placeholder: `${parameter}.start`, value: { kind: 'date', text: start } },
    { placeholder: `${parameter}.end`, value: { kind: 'date', text: end } },
    { placeholder: `${parameter}.end_exclusive`, value: { kind: 'date', text: isoDate(addDays(last, 1)) } },
    { placeholder: `${parameter}.days`, value: { kind: 'number', value: days } },
  ]
}

function listedExpression(metric: Metric, parameter: string, sql: string): string | undefined {
  const declared = metric.parameters.get(parameter)
  if (declared?.type !== 'choice') return undefined
  return [...declared.values.values()].some((choice) => choice.sql === sql) ? sql : undefined
}

function problem(message: string): RenderOutcome {
  return { kind: 'problem', message }
}
