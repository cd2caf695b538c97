import { type SqlTerm, tokenizeSql } from './sql-terms.js'

/**
 * What a query does with the rows that a term stands for: `excluded`: leaves them out; `only`: takes no others;
 * `listed`: takes them among others that it names; `free`: has no condition about them. Undefined: it cannot be
 * told, as for a table or a function.
 */
export type RowEffect = 'excluded' | 'only' | 'listed' | 'free' | undefined

/**
 * Returns the effect of a query on the rows of a term: of a value (`'past_due'`), by the columns that some
 * version compares with it, or of a column that marks rows (`is_spam = 0`, `deleted_at IS NULL`).
 *
 * @param sql a query without comments
 * @param columns names of the columns that are compared with the value
 */
export function rowEffect(term: SqlTerm, sql: string, columns: readonly string[]): RowEffect {
  if (term.kind === 'literal') return valueEffect(term.text, sql, columns)
  return term.kind === 'name' ? markEffect(term.text, sql) : undefined
}

interface Condition {
  readonly column: string
  readonly negated: boolean
  readonly values: readonly string[]
}

function valueEffect(value: string, sql: string, columns: readonly string[]): RowEffect {
  const conditions = valueConditions(sql)
  const own = conditions.find(({ values }) => values.includes(value))
  if (own !== undefined) return own.negated ? 'excluded' : own.values.length === 1 ? 'only' : 'listed'
  const about = conditions.filter(({ column }) => columns.includes(column))
  if (about.some(({ negated }) => !negated)) return 'excluded'
  return columns.length > 0 ? 'free' : undefined
}

/** Returns the columns that a query compares with a value. */
export function columnsComparedWith(value: string, sql: string): string[] {
  return valueConditions(sql).flatMap(({ column, values }) => (values.includes(value) ? [column] : []))
}

/** Returns the comparisons of a column with texts: `=`, `<>`, `IN`, `NOT IN`. */
function valueConditions(sql: string): Condition[] {
  const tokens = tokenizeSql(sql)
  const textAt = (at: number): string => tokens[at]?.text.toLowerCase() ?? ''
  return tokens.flatMap(({ term }, at): Condition[] => {
    if (term?.kind !== 'name') return []
    const column = term.text
    // `lower(status) = 'x'`
    const next = textAt(at + 1) === ')' ? at + 2 : at + 1
    const operator = textAt(next)
    const isNot = operator === 'not'
    if (operator === '=' || operator === '<>' || operator === '!=') {
      const value = tokens[next + 1]?.term
      return value?.kind === 'literal' ? [{ column, negated: operator !== '=', values: [value.text] }] : []
    }
    const at2 = isNot ? next + 1 : next
    if (textAt(at2) !== 'in' || textAt(at2 + 1) !== '(') return []
    const values: string[] = []
    for (let each = at2 + 2; each < tokens.length && textAt(each) !== ')'; each++) {
      const value = tokens[each]?.term
      if (value?.kind === 'literal') values.push(value.text)
    }
    return values.length === 0 ? [] : [{ column, negated: isNot, values }]
  })
}

/** Returns the effect of conditions on a column that marks rows. */
function markEffect(column: string, sql: string): RowEffect {
  const tokens = tokenizeSql(sql).map(({ text }) => text.toLowerCase())
  for (const [at, text] of tokens.entries()) {
    if (text.replaceAll(/["`]/gu, '') !== column) continue
    let next = at + 1
    // `coalesce(is_spam, 0) = 0`
    if (tokens[next] === ',' && tokens[next + 2] === ')') next += 3
    else if (tokens[next] === ')') next++
    const effect = testedMark(tokens.slice(next, next + 4))
    if (effect === undefined) {
      const before = tokenBefore(tokens, at)
      if (before === 'not') return 'excluded'
      continue
    }
    return effect
  }
  if (!tokens.some((text) => text.replaceAll(/["`]/gu, '') === column)) return 'free'
  // A column of values (`status = 'paid'`) marks no rows, but it has a condition.
  return valueConditions(sql).some((condition) => condition.column === column) ? 'listed' : undefined
}

function tokenBefore(tokens: readonly string[], at: number): string | undefined {
  return tokens[at - 1] === '.' ? tokens[at - 3] : tokens[at - 1]
}

function testedMark([operator, first = '', second = '']: readonly string[]): RowEffect {
  const isFalse = (text: string): boolean => /^(?:0|false|'f'|'n'|'no'|'false'|'0')$/u.test(text)
  const isTrue = (text: string): boolean => /^(?:1|true|'t'|'y'|'yes'|'true'|'1')$/u.test(text)
  if (operator === '=') return isFalse(first) ? 'excluded' : isTrue(first) ? 'only' : undefined
  if (operator === '<>' || operator === '!=')
    return isTrue(first) ? 'excluded' : isFalse(first) ? 'only' : undefined
  if (operator !== 'is') return undefined
  if (first === 'not')
    return second === 'true' ? 'excluded' : second === 'null' || second === 'false' ? 'only' : undefined
  return first === 'null' || first === 'false' ? 'excluded' : first === 'true' ? 'only' : undefined
}
