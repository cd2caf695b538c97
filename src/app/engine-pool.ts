import type { Engine } from '../engine/contract/engine.js'
import type { EngineKind, EngineOptions } from '../engine/contract/engine-kind.js'
import { openEngine } from '../engine/open-engine.js'

/** Databases by URL, opened on first use; the least recently used ones are closed. */
export interface EnginePool {
  /** Calls `work` with the engine, which stays open until it is done. Throws the error of opening it. */
  use<T>(url: string, work: (engine: Engine) => Promise<T>): Promise<T>
  /** Returns the engine, open until all are closed. Throws the error of opening it. */
  open(url: string): Promise<Engine>
  /** Closes the open engines; one that is still being opened, after an interrupt, ends with the process. */
  close(): Promise<void>
}

/** Each has processes of its own. */
const maxOpen = 4

interface Opened {
  readonly engine: Promise<Engine>
  users: number
}

export function createEnginePool(
  kinds: readonly EngineKind[],
  optionsOf: (url: string) => EngineOptions,
): EnginePool {
  // In the order of their last use.
  const opened = new Map<string, Opened>()

  function latest(url: string): Opened {
    const found = opened.get(url) ?? { engine: openEngine(url, kinds, optionsOf(url)), users: 0 }
    opened.delete(url)
    opened.set(url, found)
    return found
  }

  async function closeIdle(): Promise<void> {
    const idle = [...opened].filter(([, { users }]) => users === 0)
    for (const [url, { engine }] of idle.slice(0, Math.max(0, opened.size - maxOpen))) {
      opened.delete(url)
      await (await engine).close()
    }
  }

  return {
    async use(url, work) {
      const found = latest(url)
      found.users++
      try {
        const engine = await found.engine
        return await work(engine)
      } catch (error) {
        // A database that could not be opened is tried again for the next line: it may exist by then.
        if (await isBroken(found.engine)) opened.delete(url)
        throw error
      } finally {
        found.users--
        await closeIdle()
      }
    },
    open(url) {
      const found = latest(url)
      found.users = Number.POSITIVE_INFINITY
      return found.engine
    },
    async close() {
      const all = await Promise.allSettled(
        [...opened.values()].map(({ engine }) => Promise.race([engine, undefined])),
      )
      await Promise.all(all.map((one) => (one.status === 'fulfilled' ? one.value?.close() : undefined)))
    },
  }
}

async function isBroken(engine: Promise<Engine>): Promise<boolean> {
  const [opened] = await Promise.allSettled([engine])
  return opened?.status === 'rejected'
}
