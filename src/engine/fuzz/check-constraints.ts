import type { Check, FuzzTable } from './table.js'

type Row = FuzzTable['rows'][number]

/** Which of the rows a table takes by its CHECK constraints, as the engine itself tells: one answer a row, in order. */
export type CheckConstraintProbe = (
  table: Omit<FuzzTable, 'rows'>,
  rows: readonly Row[],
) => Promise<readonly boolean[]> | readonly boolean[]

/**
 * Columns that have to be looked at together, because one CHECK speaks of them or one reference is made of them; only those
 * of some CHECK. Those of different constraints have nothing to do with each other.
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

/** Texts that CHECK constraints name for a column, as `status IN ('paid', 'refunded')` does. */
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
 * The rows of a table as its CHECK constraints let them be. Where the engine refuses a row, each part of it is taken from
 * the first of its versions that the engine takes; from the last of them, which came from the database, unasked.
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
