import type { Engine, QueryOutcome } from '../engine/contract/engine.js'
import { keepUnlessFailed } from '../platform/keep-unless-failed.js'
import { type Schema, schemaFromCatalogue } from '../sql/index.js'

const schemas = new WeakMap<Engine, Promise<Schema>>()

/**
 * Returns the tables of an engine's database, read once per engine unless that fails. Throws `engine_unavailable` if the engine
 * fails.
 */
export function engineSchema(engine: Engine): Promise<Schema> {
  return keepUnlessFailed(schemas, engine, async () => schemaFromCatalogue(await engine.catalogue()))
}

const emptiness = new WeakMap<Engine, Promise<boolean>>()

/** Marks the failure of an expected query on a database without any table: the address is wrong, or the role has no right. */
export async function withMissingTables(engine: Engine, outcome: QueryOutcome): Promise<QueryOutcome> {
  if (outcome.kind !== 'failed' || outcome.setup !== undefined) return outcome
  const isEmpty = await keepUnlessFailed(emptiness, engine, async () => {
    const { tables, isPartial } = await engine.catalogue()
    return tables.length === 0 && isPartial === undefined
  })
  return isEmpty
    ? {
        ...outcome,
        setup: `${engine.url} has no tables, or none that may be read: correct the database or schema of \`engine\`, or grant the rights (docs/engines.md)`,
      }
    : outcome
}
