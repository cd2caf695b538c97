import { LRUCache } from 'lru-cache'
import type { AgentDatabase } from '../../agent/llm-agent.js'
import type { Engine, QueryLimits } from '../../engine/contract/engine.js'
import type { Dialect } from '../../enums/dialect.js'

/**
 * Returns the database in the form that a model agent uses, opened and read once per engine URL.
 *
 * @param agentDialect dialect that the agent writes; undefined: the engine's
 */
export function createAgentDatabases(
  open: (url: string) => Promise<Engine>,
  agentDialect: Dialect | undefined,
  limits: QueryLimits,
): (url: string) => Promise<AgentDatabase> {
  const shown = new Map<string, Promise<AgentDatabase>>()
  const show = async (url: string): Promise<AgentDatabase> => {
    const engine = await open(url)
    const ownDialect = (agentDialect ?? engine.dialect) === engine.dialect
    return {
      catalogue: await engine.catalogue(),
      // The engine would reject a query in another dialect only because of the dialect.
      refusal: ownDialect ? refusalBy(engine, limits) : undefined,
    }
  }
  return (url) => {
    const known = shown.get(url) ?? show(url)
    shown.set(url, known)
    return known
  }
}

/** Caches which queries the engine accepts: the same answers occur often. */
function refusalBy(engine: Engine, limits: QueryLimits): (sql: string) => Promise<string | undefined> {
  const taken = new LRUCache<string, true>({ max: 1000 })
  return async (sql) => {
    if (taken.has(sql)) return undefined
    const outcome = await engine.explain(sql, limits)
    if (outcome.kind !== 'rows') return outcome.message
    taken.set(sql, true)
    return undefined
  }
}
