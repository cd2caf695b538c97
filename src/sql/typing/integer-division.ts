import type { Dialect } from '../../enums/dialect.js'
import { decimalDivision, integerDivision } from '../normalize/division.js'
import type { Assumptions } from '../relational/assumptions.js'
import { apply, type Expression } from '../shape/query-shape.js'
import { someExpression } from '../shape/rewrite-query.js'
import { decidingParts, type ExactKind } from './exact-kinds.js'

type Column = Expression & { kind: 'column' }

/** These sum integers as integers, however large they are. */
const wholeSums: ReadonlySet<Dialect> = new Set(['sqlite', 'trino', 'presto'])

const wholeCalls: ReadonlySet<string> = new Set([
  ...[
    'count',
    'length',
    'octet_length',
    'cardinality',
    'row_number',
    'rank',
    'dense_rank',
    'ntile',
    'int_div',
  ],
])

/**
 * `a / b` by what its operands hold, where the two dialects divide in two ways; undefined where it may stay. Of integers it is
 * `a DIV b`, as it is written where `/` does not round: in SQLite a column of integers may hold 1.5, and it is
 * assumed that it does not. For decimals that keep their places it is a call of its own.
 */
export function normalizeTypedQuotient(
  expression: Expression & { kind: 'apply' },
  { dialect, other }: { readonly dialect: Dialect; readonly other: Dialect },
  kindOfColumn: (column: Column) => ExactKind,
  nameOf: (column: Column) => string,
  assumptions: Assumptions,
): Expression | undefined {
  const { op, args } = expression
  if (op !== '/' || args.length !== 2 || !integerDivision.has(dialect)) return undefined
  if (integerDivision.has(other))
    return decimalDivision.has(dialect) && !decimalDivision.has(other)
      ? withPlaces(expression, kindOfColumn, assumptions)
      : undefined
  const parts = args.flatMap(decidingParts)
  const isWhole = (part: Expression): boolean => {
    if (part.kind === 'column') return kindOfColumn(part) === 'whole'
    if (part.kind === 'literal') return part.type === 'number' && /^-?\d+$/u.test(part.value)
    return part.kind === 'apply' && wholeCalls.has(part.op)
  }
  const columns = parts.filter((part) => part.kind === 'column')
  const isSummed = args.some((arg) =>
    someExpression(arg, (part) => part.kind === 'apply' && part.op === 'sum'),
  )
  if (!parts.every(isWhole) || (isSummed && columns.length > 0 && !wholeSums.has(dialect))) return undefined
  const isSure = columns.every(
    (column) =>
      dialect !== 'sqlite' || assumptions.assume('types', `${nameOf(column)} holds whole numbers only`),
  )
  return isSure ? apply('int_div', ...args) : undefined
}

/** A quotient of decimals that has the places of its operands, where the other dialect has more. */
function withPlaces(
  expression: Expression & { kind: 'apply' },
  kindOfColumn: (column: Column) => ExactKind,
  assumptions: Assumptions,
): Expression | undefined {
  const kinds = expression.args.flatMap(decidingParts).map((part): ExactKind => {
    if (part.kind === 'column') return kindOfColumn(part)
    if (part.kind === 'literal') return /^-?\d+$/u.test(part.value) ? 'whole' : 'decimal'
    return part.kind === 'apply' && wholeCalls.has(part.op) ? 'whole' : 'open'
  })
  if (kinds.includes('float') || kinds.every((kind) => kind === 'whole')) return undefined
  const isSure = !kinds.includes('decimal') && assumptions.assume('types', 'no division is one of decimals')
  return isSure ? undefined : { ...expression, op: '/ with places' }
}
