import type { Check, FuzzTable } from './fuzz-table.js'

type Row = FuzzTable['rows'][number]

/**
 * Returns, for each row in order, whether the CHECK constraints of a table accept it, according to the engine
 * itself.
 */
export type CheckConstraintProbe = (
  table: Omit<FuzzTable, 'rows'>,
  rows: readonly Row[],
) => Promise<readonly boolean[]> | readonly boolean[]

/**
 * Returns columns that have to be changed together, because one CHECK uses them or one reference consists of
 * them; only those of some CHECK. Groups of different constraints are independent.
 */
export function checkColumnGroups({
  checks,
  references,
}: Pick<FuzzTable, 'checks' | 'references'>): readonly (readonly number[])[] {
  const checked = new Set(checks.flatMap(({ columns }) => columns))
  const groups = [...checks, ...references].map(({ columns }) => columns)
  let parts: (readonly number[])[] = []
  for (const columns of groups) {
    const touching = parts.filter((part) => part.some((column) => columns.includes(column)))
    const rest = parts.filter((part) => !touching.includes(part))
    parts = [...rest, [...new Set([...touching.flat(), ...columns])]]
  }
  return parts.filter((part) => part.some((column) => checked.has(column)))
}

/** Returns the strings that CHECK constraints name for a column, as `status IN ('paid', 'refunded')` does. */
export function checkLiterals(checks: readonly Check[], column: number): readonly string[] {
  return [...new Set(checks.filter(({ columns }) => columns.includes(column)).flatMap(({ texts }) => texts))]
}

/** Returns the quoted texts of a condition, except those that are patterns. */
export function stringLiteralsIn(condition: string): readonly string[] {
  const quoted = [...condition.matchAll(/'((?:[^']|'')*)'/gu)].map(([, text = '']) =>
    text.replaceAll("''", "'"),
  )
  return quoted.filter((text) => text !== '' && !/[%_*?[\]^$]/u.test(text))
}

/**
 * Returns the rows of a table adapted to its CHECK constraints. If the engine rejects a row, each group of
 * its columns is taken from the first of its versions that the engine accepts; the last version came from the
 * database and needs no check.
 */
export async function satisfyChecks(
  table: FuzzTable,
  versions: readonly (readonly Row[])[],
  accepts: CheckConstraintProbe,
): Promise<readonly Row[]> {
  const base = versions.at(-1)
  if (table.checks.length === 0 || base === undefined) return table.rows
  const taken = await accepts(table, table.rows)
  const refused = [...table.rows.keys()].filter((at) => taken[at] !== true)
  if (refused.length === 0) return table.rows
  const settled = new Map(refused.map((at) => [at, [...(table.rows[at] ?? [])]]))
  for (const part of checkColumnGroups(table)) {
    let left = refused
    for (const version of [table.rows, ...versions.slice(0, -1)]) {
      const changed = left.filter((at) => part.some((column) => version[at]?.[column] !== base[at]?.[column]))
      const found = await accepts(
        table,
        changed.map((at) => withColumnsFrom(base[at] ?? [], part, version[at] ?? [])),
      )
      const fitting = new Set(changed.filter((_, index) => found[index] === true))
      for (const at of fitting)
        settled.set(at, withColumnsFrom(settled.get(at) ?? [], part, version[at] ?? []))
      left = left.filter((at) => !fitting.has(at))
    }
    for (const at of left) settled.set(at, withColumnsFrom(settled.get(at) ?? [], part, base[at] ?? []))
  }
  // A constraint may refer to a column that is not written: a generated one.
  const whole = await accepts(table, [...settled.values()])
  for (const [index, at] of [...settled.keys()].entries())
    if (whole[index] !== true) settled.set(at, [...(base[at] ?? [])])
  return table.rows.map((row, at) => settled.get(at) ?? row)
}

function withColumnsFrom(row: Row, part: readonly number[], other: Row): Row[number][] {
  const result = [...row]
  for (const column of part) result[column] = other[column] ?? null
  return result
}
