import type { Dialect } from '../../enums/dialect.js'

/** The kind of an operator in a grammar: all of one kind have the same precedence in every dialect. */
export type OperatorKind =
  | 'and'
  | 'not'
  | 'equals'
  | 'less'
  | 'is'
  | 'same'
  | 'distinct'
  | 'like'
  | 'matches'
  | 'in'
  | 'between'
  | 'quantified'
  | 'symbol'
  | 'bit_or'
  | 'bit_xor'
  | 'bit_and'
  | 'shift'
  | 'concat'
  | 'add'
  | 'multiply'
  | 'arrow'
  | 'text_arrow'
  | 'sign'
  | 'bit_not'

/** How firmly an operator holds the operands on its sides; the firmer of two neighbours has the one between them. */
export interface BindingPower {
  readonly left: number
  readonly right: number
}

export type Precedence = Readonly<Record<OperatorKind, BindingPower>>

/** From the weakest to the firmest; operators of one level group to the left. */
type Levels = readonly (readonly OperatorKind[])[]

const comparisons: readonly OperatorKind[] = [
  ...(['equals', 'less', 'is', 'same', 'distinct', 'like', 'matches'] as const),
  ...(['in', 'between', 'quantified', 'symbol'] as const),
]

/** https://www.sqlite.org/lang_expr.html, "Operators, and Parse-Affecting Attributes". */
const sqlite: Levels = [
  ['and'],
  ['not'],
  comparisons.filter((kind) => kind !== 'less'),
  ['less'],
  ['bit_or', 'bit_xor', 'bit_and', 'shift'],
  ['add'],
  ['multiply'],
  ['concat', 'arrow', 'text_arrow'],
  ['sign', 'bit_not'],
]

/** https://www.postgresql.org/docs/current/sql-syntax-lexical.html, 4.1.6: most are "any other operator". */
const postgres: Levels = [
  ['and'],
  ['not'],
  ['is', 'same', 'distinct'],
  ['equals', 'less', 'quantified'],
  ['like', 'in', 'between'],
  [
    ...(['symbol', 'matches', 'concat', 'arrow', 'text_arrow'] as const),
    ...(['bit_or', 'bit_xor', 'bit_and', 'shift', 'bit_not'] as const),
  ],
  ['add'],
  ['multiply'],
  ['sign'],
]

/** The rules `expr`, `bool_pri`, `predicate` and `bit_expr` of sql/sql_yacc.yy; the manual has one level for the first three. */
const mysql: Levels = [
  ['and'],
  ['not'],
  ['equals', 'less', 'is', 'same', 'distinct', 'quantified'],
  ['like', 'matches', 'in', 'between', 'symbol'],
  ['bit_or'],
  ['bit_and'],
  ['shift'],
  ['add', 'concat'],
  ['multiply'],
  ['bit_xor'],
  ['sign', 'bit_not'],
  ['arrow', 'text_arrow'],
]

/** https://cloud.google.com/bigquery/docs/reference/standard-sql/operators, "Operator precedence". */
const bigquery: Levels = [
  ['and'],
  ['not'],
  comparisons,
  ['bit_or'],
  ['bit_xor'],
  ['bit_and'],
  ['shift'],
  ['add'],
  ['multiply', 'concat'],
  ['sign', 'bit_not'],
  ['arrow', 'text_arrow'],
]

/** `valueExpression` and `predicate` of SqlBase.g4, which have no operators of bits. */
const trino: Levels = [
  ['and'],
  ['not'],
  comparisons,
  ['bit_or', 'bit_xor', 'bit_and', 'shift', 'arrow', 'text_arrow'],
  ['concat'],
  ['add'],
  ['multiply'],
  ['sign', 'bit_not'],
]

/** `valueExpression` and `predicate` of SqlBaseParser.g4: a comparison is an operand of the other predicates. */
const spark: Levels = [
  ['and'],
  ['not'],
  ['is', 'distinct', 'like', 'matches', 'in', 'between', 'quantified', 'symbol'],
  ['equals', 'less', 'same'],
  ['bit_or'],
  ['bit_xor'],
  ['bit_and'],
  ['shift'],
  ['add', 'concat'],
  ['multiply'],
  ['sign', 'bit_not'],
  ['arrow', 'text_arrow'],
]

/**
 * DuckDB's grammar is PostgreSQL's, except for the arrows. Everything to the left of one is its operand; for `->`, which
 * makes lambdas too, everything to the right as well.
 */
function duckdb(): Precedence {
  const levels = bindingPowers(postgres)
  return { ...levels, arrow: { left: 0, right: 0 }, text_arrow: { left: 0, right: levels.symbol.right } }
}

function bindingPowers(levels: Levels): Precedence {
  const entries = levels.flatMap((kinds, at) => kinds.map((kind) => [kind, at + 1] as const))
  const known = Object.fromEntries(entries.map(([kind, level]) => [kind, { left: level, right: level }]))
  return known as Precedence
}

/** How a dialect groups; undefined where no source says, so that the library's own grouping stands. */
export const precedences: Readonly<Record<Dialect, Precedence | undefined>> = {
  ansi: undefined,
  snowflake: undefined,
  sqlite: bindingPowers(sqlite),
  postgres: bindingPowers(postgres),
  redshift: bindingPowers(postgres),
  duckdb: duckdb(),
  mysql: bindingPowers(mysql),
  bigquery: bindingPowers(bigquery),
  trino: bindingPowers(trino),
  presto: bindingPowers(trino),
  spark: bindingPowers(spark),
}
