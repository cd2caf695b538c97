import type { Value } from '../../engine/contract/engine.js'
import type { Dialect } from '../../enums/dialect.js'
import { renderLiteral } from '../../sql/index.js'
import { type Mention, mentionAt } from './columns.js'
import type { Mutation } from './mutation.js'
import { isWord, type QueryText } from './query-text.js'
import type { Term } from './scoped-tokens.js'

/** Returns a few values of a column; none if they are not known. */
export type ColumnValues = (table: string, column: string) => readonly Value[]

/** How many other values of the column are tried for one literal. */
const mostValues = 2
/** How many literals of one IN list are replaced. */
const mostLiterals = 20

/** Returns columns that are compared with literals by `=`, `<>` or IN, whose values have to be read. */
export function comparedColumns(query: QueryText): Mention[] {
  const found = new Map<string, Mention>()
  for (const { mention } of comparisons(query)) found.set(`${mention.table.name}.${mention.column}`, mention)
  return [...found.values()]
}

/** Returns mutations with another value of the column that a literal is compared with. */
export function swappedLiterals(query: QueryText, valuesOf: ColumnValues, dialect: Dialect): Mutation[] {
  return comparisons(query).flatMap(({ mention, literals }) => {
    const taken = new Set(literals.map(({ value }) => value.toLowerCase()))
    const others = valuesOf(mention.table.name, mention.column).filter(
      (value) => !taken.has(plain(value).toLowerCase()),
    )
    return literals.slice(0, mostLiterals).flatMap((literal) =>
      others.slice(0, mostValues).flatMap((value): Mutation[] => {
        const text = rendered(literal, value, dialect)
        if (text === undefined) return []
        const { start, end } = literal
        return [
          {
            kind: 'literal',
            words: `${mention.column} ${text} instead of ${literal.text}`,
            replacements: [{ start, end, text }],
          },
        ]
      }),
    )
  })
}

interface Comparison {
  readonly mention: Mention
  readonly literals: readonly Term[]
}

function comparisons(query: QueryText): Comparison[] {
  const { terms } = query
  return terms.flatMap((_, at) => {
    const mention = mentionAt(query, at)
    if (mention === undefined) return []
    const operator = isWord(terms[at + 1], 'NOT') ? at + 2 : at + 1
    const literals = literalsAfter(terms, operator)
    return literals.length === 0 ? [] : [{ mention, literals }]
  })
}

function literalsAfter(terms: readonly Term[], operator: number): Term[] {
  const term = terms[operator]
  if (term !== undefined && ['=', '<>', '!=', '=='].includes(term.text)) {
    const at = isWord(terms[operator + 1], 'DATE') ? operator + 2 : operator + 1
    const literal = terms[at]
    return literal !== undefined && isLiteral(literal) ? [literal] : []
  }
  if (!isWord(term, 'IN') || terms[operator + 1]?.text !== '(') return []
  const literals: Term[] = []
  for (let at = operator + 2; at < terms.length && terms[at]?.text !== ')'; at++) {
    const literal = terms[at]
    if (literal !== undefined && isLiteral(literal)) literals.push(literal)
  }
  return literals
}

function isLiteral(term: Term): boolean {
  return term.kind === 'string' || term.kind === 'number' || isWord(term, 'TRUE', 'FALSE')
}

/** Returns the value in the form of the literal, undefined if it has another type. */
function rendered(literal: Term, value: Value, dialect: Dialect): string | undefined {
  const text = plain(value)
  if (literal.kind === 'string') {
    const isText = typeof value === 'string' || (typeof value === 'object' && value !== null)
    return isText && !text.includes('\0') ? renderLiteral({ kind: 'text', text }, dialect) : undefined
  }
  if (literal.kind === 'number') return /^-?\d+(?:\.\d+)?$/u.test(text) ? text : undefined
  return typeof value === 'boolean' ? text.toUpperCase() : undefined
}

function plain(value: Value): string {
  return typeof value === 'object' && value !== null ? value.text : String(value)
}
