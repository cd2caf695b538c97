import type { Dialect } from '../../../../enums/dialect.js'
import type { Binding } from '../../../../kb/question-interpretation.js'
import { bindingLiterals } from '../../../../kb/render-snippet.js'
import type { SqlParser, SqlToken } from '../../../../sql/index.js'

/**
 * A value of the question in a form that may occur in an expected query, with the placeholder that it would
 * come from.
 */
export interface QuestionValue {
  /** `market`, `period.start` */
  readonly placeholder: string
  readonly parameter: string
  readonly kind: 'text' | 'date' | 'number' | 'expression'
  readonly text: string
  /** Token keys of an expression, empty for literals. */
  readonly keys: readonly string[]
}

/**
 * Returns the values that the bindings give to placeholders; a choice is an expression, all others are
 * literals.
 */
export function questionValues(
  bindings: readonly Binding[],
  parser: SqlParser,
  dialect: Dialect,
): QuestionValue[] {
  return bindings.flatMap((binding) =>
    bindingLiterals(binding).flatMap(({ placeholder, value }): QuestionValue[] => {
      const from = { placeholder, parameter: binding.parameter, keys: [] }
      if (value.kind === 'number') return [{ ...from, kind: 'number', text: String(value.value) }]
      if (value.kind !== 'sql') return [{ ...from, kind: value.kind, text: value.text }]
      const outcome = parser.tokenize(value.sql, dialect)
      const keys = outcome.kind === 'tokens' ? outcome.tokens.map(tokenKey) : []
      return keys.length === 0 ? [] : [{ ...from, kind: 'expression', text: value.sql, keys }]
    }),
  )
}

/**
 * Returns a key by which tokens are compared: names without case and quotes, one spelling for each operator.
 */
export function tokenKey(token: SqlToken): string {
  switch (token.kind) {
    case 'word':
    case 'quoted':
      return token.value.toLowerCase()
    case 'string':
      return `'${token.value}`
    case 'placeholder':
      return `{{${token.value}`
    case 'number':
      return token.value.toLowerCase()
    case 'symbol':
      return spellings.get(token.text) ?? token.text
  }
}

const spellings: ReadonlyMap<string, string> = new Map([
  ['!=', '<>'],
  ['==', '='],
])

/** A range of tokens that expresses one value of the question. */
export interface ValueMatch {
  readonly to: number
  readonly placeholders: readonly string[]
}

/**
 * Returns the longest range from token `from` on that is a value of the question, with the placeholders it
 * could come from; a day may be written as `'2025-11-01'`, `DATE '…'`, `CAST('…' AS DATE)` or `'…'::date`.
 */
export function matchValueAt(
  tokens: readonly SqlToken[],
  from: number,
  values: readonly QuestionValue[],
): ValueMatch | undefined {
  const expressions = values.filter(
    (value) => value.kind === 'expression' && startsWith(tokens, from, value.keys),
  )
  const longest = Math.max(0, ...expressions.map((value) => value.keys.length))
  if (longest > 0) {
    const fitting = expressions.filter((value) => value.keys.length === longest)
    return { to: from + longest, placeholders: fitting.map((value) => value.placeholder) }
  }
  const day = dayAt(tokens, from)
  if (day !== undefined) {
    const fitting = values.filter((value) => value.kind === 'date' && value.text === day.text)
    if (fitting.length > 0) return { to: day.to, placeholders: fitting.map((value) => value.placeholder) }
  }
  const token = tokens[from]
  const kind = token?.kind === 'string' ? 'text' : token?.kind === 'number' ? 'number' : undefined
  const fitting = values.filter((value) => value.kind === kind && value.text === token?.value)
  if (fitting.length === 0) return undefined
  return { to: from + 1, placeholders: fitting.map((value) => value.placeholder) }
}

function startsWith(tokens: readonly SqlToken[], from: number, keys: readonly string[]): boolean {
  // `t.platform` is one name: its last part alone is not the choice `platform`.
  if (tokens[from - 1]?.text === '.' || tokens[from + keys.length]?.text === '.') return false
  return keys.length > 0 && keys.every((key, index) => sameKey(tokens[from + index], key))
}

function sameKey(token: SqlToken | undefined, key: string): boolean {
  return token !== undefined && tokenKey(token) === key
}

function dayAt(tokens: readonly SqlToken[], from: number): { text: string; to: number } | undefined {
  const word = (index: number): string | undefined =>
    tokens[index]?.kind === 'word' ? tokens[index]?.value : tokens[index]?.text
  const at = (index: number): string | undefined =>
    tokens[index]?.kind === 'string' ? tokens[index]?.value : undefined
  if (word(from) === 'DATE') {
    const text = at(from + 1)
    return text === undefined ? undefined : { text, to: from + 2 }
  }
  if (word(from) === 'CAST' && word(from + 1) === '(') {
    const text = at(from + 2)
    const isDate = word(from + 3) === 'AS' && word(from + 4) === 'DATE' && word(from + 5) === ')'
    return text === undefined || !isDate ? undefined : { text, to: from + 6 }
  }
  const text = at(from)
  if (text === undefined) return undefined
  return { text, to: word(from + 1) === '::' && word(from + 2) === 'DATE' ? from + 3 : from + 1 }
}

/**
 * Reports whether a literal, written into a snippet, would be the question's own value or a part of it
 * ('2025-11', 2025): such a literal must never be hard-coded.
 */
export function derivesFromQuestion(token: SqlToken, values: readonly QuestionValue[]): boolean {
  if (token.kind === 'string' && token.value !== '') {
    return values.some(
      (value) =>
        (value.kind === 'text' && value.text === token.value) ||
        (value.kind === 'date' &&
          token.value.length >= 4 &&
          (value.text.startsWith(token.value) || token.value.startsWith(value.text))),
    )
  }
  if (token.kind !== 'number') return false
  return values.some(
    (value) => value.kind === 'date' && value.text.length === 10 && value.text.slice(0, 4) === token.value,
  )
}
