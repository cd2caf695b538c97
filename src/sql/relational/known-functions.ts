import { isPortable } from '../functions/portable-operations.js'
import type { Expression } from '../shape/query-shape.js'
import { someDeep, someExpression } from '../shape/rewrite-query.js'

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/u))

/** Functions and operators that give one value for one row, the same for the same arguments. */
const scalars = words(`
  = <> < <= > >= + - * / % || div fdiv and or not neg is_null in in_list like i_like exists between case when else of
  cast try_cast safe_cast coalesce nullif lower upper length char_length octet_length trim ltrim rtrim substr substring replace abs round
  floor ceil ceiling year quarter month day hour minute second week dayofweek date_trunc extract date date_part datetime
  strftime julianday interval concat mod sqrt power pow exp ln log log10 left right tuple null list dot
  date_add date_sub date_diff datediff timestamp_trunc to_char to_date date_format is_not_distinct is_distinct is_true is_false
  greatest least sign instr strpos position reverse typeof current_date current_timestamp starts_with split_part
  greatest_given least_given greatest_of_all least_of_all split_part_or_empty translate_letters regexp_replace_all
  regexp_first_match element element_or_error log_base ends_with sin cos tan atan atan2 degrees radians cbrt`)

/** Aggregates that pass NULLs over, and whose value does not depend on the order of the rows. */
export const plainAggregates = words('count sum avg min max')

/** Aggregates that give the same for a bag of rows and for the set of these rows. */
const duplicateInsensitive = words('min max')

const aggregates =
  words(`count sum avg min max total group_concat string_agg array_agg stddev stddev_samp stddev_pop
  variance var_samp var_pop median count_if sum_if bool_and bool_or any_value approx_distinct percentile_cont percentile_disc
  covar_pop covar_samp bit_and_agg bit_or_agg max_by min_by approx_count_distinct sum_of_truths max_by_given min_by_given
  array_agg_given string_agg_or_empty`)

const windowOnly = words('over')

/** Whether it certainly is computed from one row alone: no aggregate, no window, nothing unknown or random. */
export function isScalar(expression: Expression): boolean {
  return !someExpression(
    expression,
    (part) => part.kind === 'apply' && !scalars.has(part.op) && !part.op.startsWith('field:'),
  )
}

/** Whether no part of it, in subqueries too, may give another value when it is computed again. */
export function isStable(expression: Expression): boolean {
  return !someDeep(
    expression,
    (part) =>
      part.kind === 'apply' &&
      !scalars.has(part.op) &&
      !aggregates.has(part.op) &&
      !stableNonScalars.has(part.op) &&
      !isPortable(part.op),
  )
}

const stableNonScalars = words(
  'distinct output star using asc desc over row_number rank dense_rank lag lead table record Preceding Following grouping grouping_id key_of_sets',
)

/** Whether all that it takes from a group of rows are duplicate-free aggregates. */
export function isDuplicateInsensitiveAggregate(expression: Expression): boolean {
  if (expression.kind !== 'apply') return true
  const { op, args } = expression
  const [first] = args
  if (aggregates.has(op)) {
    const isDistinct =
      first?.kind === 'apply' && first.op === 'distinct' && args.length === 1 && op === 'count'
    return isDistinct || (duplicateInsensitive.has(op) && args.length === 1)
  }
  return (scalars.has(op) || op === 'distinct') && args.every(isDuplicateInsensitiveAggregate)
}

/** Whether it is the call of a known aggregate itself. */
export function isAggregateCall(expression: Expression): boolean {
  return expression.kind === 'apply' && aggregates.has(expression.op)
}

/** Whether it certainly is computed from a group of rows: it has a known aggregate outside windows. */
export function certainlyAggregates(expression: Expression): boolean {
  if (expression.kind !== 'apply') return false
  const { op, args } = expression
  if (windowOnly.has(op))
    return args.some((arg) => arg.kind === 'apply' && arg.args.some(certainlyAggregates))
  // SQLite's min and max of several values are of one row.
  const isAggregate = aggregates.has(op) && (args.length === 1 || !duplicateInsensitive.has(op))
  return isAggregate || args.some(certainlyAggregates)
}

/** Whether it contains a known aggregate outside windows; unknown functions count as one. */
export function mayAggregate(expression: Expression): boolean {
  if (expression.kind !== 'apply') return false
  if (windowOnly.has(expression.op))
    return expression.args.some((arg) => arg.kind === 'apply' && arg.args.some(mayAggregate))
  const known =
    scalars.has(expression.op) || expression.op.startsWith('field:') || stableNonScalars.has(expression.op)
  return !known || expression.args.some(mayAggregate)
}
