/**
 * What all values of a column have in common besides their type. Queries may rely on it as on a type: `paid = 1` and
 * `paid <> 0` are equivalent where there is no third value.
 */
export type Habit =
  | { readonly kind: 'flag'; readonly values: readonly [string, string] }
  | { readonly kind: 'not negative' }
  | { readonly kind: 'midnight' | 'first of month' | 'end of month' }
  /** From 0 for Sunday. */
  | { readonly kind: 'weekday'; readonly day: number }
