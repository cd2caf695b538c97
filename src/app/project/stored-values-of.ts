import { createStoredValues } from '../../compare/stored-values.js'
import type { Config } from '../../config/config.js'
import type { StoredValues } from '../../contracts/stored-values.js'
import type { Engine } from '../../engine/contract/engine.js'
import { loadSqlParser } from '../../sql/index.js'
import { engineKindOf, queryLimitsOf } from '../engine-registry.js'

/**
 * Returns a function for what is known of the data of an engine, by its URL; without one, of the configured engine. Of a server
 * nothing is read: that is a scan a question, which nobody asked for.
 */
export function createStoredValuesOf(
  config: Config,
  open: (url: string) => Promise<Engine>,
): (asked: string | undefined) => Promise<StoredValues | undefined> {
  const stored = new Map<string, Promise<StoredValues>>()
  return async (asked) => {
    const url = asked ?? config.engine
    if (url === undefined || engineKindOf(url)?.isRemote === true) return undefined
    const known =
      stored.get(url) ??
      Promise.all([open(url), loadSqlParser()]).then(([engine, parser]) =>
        createStoredValues(engine, parser, queryLimitsOf(config)),
      )
    stored.set(url, known)
    return known
  }
}
