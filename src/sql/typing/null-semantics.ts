import type { Dialect } from '../../enums/dialect.js'
import type { Assumptions } from '../relational/assumptions.js'
import { apply, type Expression } from '../shape/query-shape.js'

type Call = Expression & { kind: 'apply' }

/** How some dialects treat NULLs, or no values, in a call that others have under the same name. */
interface NullSemantics {
  readonly op: string
  readonly dialects: ReadonlySet<Dialect>
  /** The name of the call with these semantics. */
  readonly marked: string
  /** The assumption under which dialects agree; undefined where it depends on which columns hold NULLs. */
  readonly assumption?: string
}

const nullSemantics: readonly NullSemantics[] = [
  // DuckDB passes over rows whose value would be NULL.
  { op: 'max_by', dialects: new Set(['duckdb']), marked: 'max_by_given' },
  { op: 'min_by', dialects: new Set(['duckdb']), marked: 'min_by_given' },
  // Other dialects do not say of a list with a NULL that it has no 5.
  {
    op: 'array_contains',
    dialects: new Set(['duckdb']),
    marked: 'array_surely_contains',
    assumption: 'no array has NULLs in it',
  },
  { op: 'array_agg', dialects: new Set(['spark', 'snowflake']), marked: 'array_agg_given' },
  {
    op: 'array_to_string',
    dialects: new Set(['snowflake']),
    marked: 'array_to_string_with_nulls',
    assumption: 'no array has NULLs in it',
  },
  {
    op: 'string_agg',
    dialects: new Set(['snowflake']),
    marked: 'string_agg_or_empty',
    assumption: 'no group has only NULLs to join',
  },
]

/** Dialects that count no row of which one of several values is NULL; others count rows of any values. */
const countsNonNullRowsOnly: ReadonlySet<Dialect> = new Set(['mysql', 'spark', 'snowflake'])

/** The call by a name of its own where only the other query's dialect treats NULLs in another way. */
export function markNullSemantics(
  call: Call,
  { dialect, other }: { readonly dialect: Dialect; readonly other: Dialect },
  assumptions: Assumptions,
): Call {
  const habit = nullSemantics.find(({ op, dialects }) => op === call.op && dialects.has(dialect))
  if (habit !== undefined && !habit.dialects.has(other)) {
    const isMade =
      habit.assumption !== undefined && assumptions.assumeDialectDefault('nulls', habit.assumption)
    return isMade ? call : { ...call, op: habit.marked }
  }
  if (call.op !== 'count' || !countsNonNullRowsOnly.has(dialect) || countsNonNullRowsOnly.has(other))
    return call
  const [distinct, ...rest] = call.args
  const [row] = distinct?.kind === 'apply' && distinct.op === 'distinct' ? distinct.args : []
  return row?.kind === 'apply' && row.op === 'tuple' && rest.length === 0
    ? { ...call, args: [apply('distinct', { ...row, op: 'tuple_given' })] }
    : call
}
