import type { Engine } from '../engine/contract/engine.js'
import { type Schema, schemaFromCatalogue } from '../sql/index.js'

const schemas = new WeakMap<Engine, Promise<Schema>>()

/**
 * Returns the tables of an engine's database, read once per engine. Throws `engine_unavailable` if the engine
 * fails.
 */
export function engineSchema(engine: Engine): Promise<Schema> {
  const known = schemas.get(engine) ?? engine.catalogue().then(schemaFromCatalogue)
  schemas.set(engine, known)
  return known
}
