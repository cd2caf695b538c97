import type { Engine } from '../engine/contract/engine.js'
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
