interface TableSize {
  readonly rows: number
  readonly columns: number
}

/** Rows taken of each table however many tables there are. */
const leastRows = 200

/**
 * Returns how many rows to take of each table so that a copy has no more than `cells` cells: as many of all
 * as fit, at most `rows`.
 */
export function rowsPerTable(
  tables: readonly TableSize[],
  limits: { readonly rows: number; readonly cells: number },
): number {
  const cellsWith = (most: number): number =>
    tables.reduce((sum, { rows, columns }) => sum + Math.min(rows, most) * columns, 0)
  let [fits, tooMany] = [leastRows, limits.rows + 1]
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if (cellsWith(middle) <= limits.cells) fits = middle
    else tooMany = middle
  }
  return fits
}
