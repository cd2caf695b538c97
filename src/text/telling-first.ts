/** Returns what only one of two queries has before what both have in other words, which is a matter of style more often. */
export function tellingFirst<T extends { readonly kind: string }>(differences: readonly T[]): T[] {
  const isChanged = ({ kind }: T): number => (kind === 'changed' ? 1 : 0)
  return differences.toSorted((a, b) => isChanged(a) - isChanged(b))
}
