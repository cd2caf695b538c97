const words = (text: string): readonly string[] => text.trim().split(/\s+/u)

/**
 * Functions and operators, in common words, that mean the same in every dialect that has them. Any other keeps the
 * name of its dialect when queries in two dialects are compared: what only has the same name may count weeks, round
 * or treat NULLs in another way.
 */
const portableOperations: ReadonlySet<string> = new Set([
  ...words(
    '= <> < <= > >= + - * / % || fdiv int_div and or not neg is_null in in_list like i_like exists between',
  ),
  ...words(
    'case when else of cast try_cast tuple null list record table star using dot output distinct over asc desc',
  ),
  ...words(
    'interval coalesce nullif lower upper length octet_length ltrim rtrim trim concat_given substring',
  ),
  ...words(
    'replace reverse repeat str_position string_split string_split_regex array_to_string concat_ws starts_with',
  ),
  ...words(
    'regexp_like regexp_i_like chr lpad rpad abs round floor ceil trunc sign sqrt power exp ln log10 pi',
  ),
  ...words(
    'year quarter month day hour minute isodow day_of_year week_of_year date_trunc last_day days_between',
  ),
  ...words(
    'julian_days whole_units unit_boundaries format_time parse_time time_from_epoch epoch whole_epoch',
  ),
  ...words(
    'current_date current_timestamp date sum avg min max count count_if any_value bool_and bool_or string_agg',
  ),
  ...words('array_agg max_by min_by stddev_samp stddev_pop var_samp var_pop approx_count_distinct'),
  ...words(
    'row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value',
  ),
  ...words(
    'array cardinality array_sort series generate_series struct named map hash lower_hex upper_hex decode',
  ),
  ...words(
    'array_contains levenshtein to_utf8 lambda transform filter array_distinct_in_order map_keys map_values',
  ),
  ...words('sin cos tan atan atan2 sinh cosh tanh degrees radians cbrt log_base ends_with'),
  ...words('greatest_given least_given greatest_of_all least_of_all split_part_or_empty translate_letters'),
  ...words('regexp_replace_all regexp_first_match element element_or_error base64 unbase64 age_between'),
  ...words(
    'percentile_cont percentile_disc covar_pop covar_samp bit_and_agg bit_or_agg at_time_zone_or_back',
  ),
  ...words(
    'right second iso_year bits_turned bits_left bits_right bits_right_from_zero array_part array_repeat',
  ),
  // Groups, quantified comparisons and the bounds of frames.
  ...words('rollup cube grouping any all Preceding Following'),
  'grouping sets',
  ...words('parse_json code_point make_date flatten regexp_first_group'),
  ...words(
    'sum_of_truths cardinality_or_minus_one array_surely_contains array_to_string_with_nulls tuple_given',
  ),
  ...words(
    'json_extract json_extract_scalar bitwise_xor bitwise_and bitwise_or null_safe_eq is_true is_false row',
  ),
])

/** Whether a call means the same in all dialects; parts of clauses that are not modelled are not calls. */
export function isPortable(op: string): boolean {
  return portableOperations.has(op) || op.startsWith('field:')
}
