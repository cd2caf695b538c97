import type { CopySpec } from '../contract/copy-spec.js'
import { type CheckConstraintProbe, satisfyChecks } from './check-constraints.js'
import { profileOf } from './copy-profiles.js'
import { enforceConstraints } from './enforce-constraints.js'
import { assignForeignKeys } from './foreign-keys.js'
import type { FuzzTable } from './fuzz-table.js'
import { mutateRows } from './mutate-rows.js'
import { randomFrom } from './seeded-random.js'

/**
 * Generates other rows for the same tables that satisfy every declared constraint: the counterpart, for any
 * schema, of the hand-made neighbours of test-suite evaluation (Zhong, Yu and Klein, 2020). Tables are in the
 * order in which they can be filled, parents first. CHECK constraints are evaluated by the engine; everything
 * else is computed here.
 */
export async function fuzz(
  tables: readonly FuzzTable[],
  spec: CopySpec,
  accepts: CheckConstraintProbe,
): Promise<FuzzTable[]> {
  const profile = profileOf(spec.index)
  const ordered = sortParentsFirst(tables)
  const mutated: FuzzTable[] = []
  for (const table of ordered) {
    const random = randomFrom(`${spec.seed}/${spec.index}/${table.name}`)
    const { rows, versions } = mutateRows(table, profile, random)
    const changed = { ...table, rows }
    // A table that refers to itself, or to a later one, draws from the present rows.
    const others = [...mutated, changed, ...ordered.slice(mutated.length + 1)]
    const drawn = { ...changed, rows: assignForeignKeys(changed, others, profile, random) }
    mutated.push({ ...drawn, rows: await satisfyChecks(drawn, versions, accepts) })
  }
  return enforceConstraints(mutated)
}

/** Sorts tables after those they refer to; tables that refer to each other in a cycle keep their order. */
export function sortParentsFirst(tables: readonly FuzzTable[]): FuzzTable[] {
  const ordered: FuzzTable[] = []
  const left = new Set(tables)
  while (left.size > 0) {
    const waiting = new Set([...left].map((table) => table.name))
    const free = [...left].filter((table) =>
      table.references.every((reference) => reference.table === table.name || !waiting.has(reference.table)),
    )
    for (const table of free.length > 0 ? free : [...left].slice(0, 1)) {
      ordered.push(table)
      left.delete(table)
    }
  }
  return ordered
}
