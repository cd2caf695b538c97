import { AutotestError } from '../errors.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { Sample } from './agent.js'
import type { Materializer } from './materialize.js'
import type { Outcome } from './protocol.js'

/** Asks an agent outside the program with a copy of the snapshot on disk; every failure names the agent. */
export async function sampleOf(
  agent: string,
  copies: Materializer,
  snapshot: Snapshot,
  ask: (kb: string) => Promise<Outcome>,
): Promise<Sample> {
  const started = performance.now()
  const outcome = await onCopy(copies, snapshot, ask)
  const ms = performance.now() - started
  return outcome.kind === 'error'
    ? { ...outcome, message: `${agent}: ${outcome.message}`, ms }
    : { ...outcome, ms }
}

async function onCopy(
  copies: Materializer,
  snapshot: Snapshot,
  ask: (kb: string) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const { kb, release } = copies.use(snapshot)
    try {
      return await ask(kb)
    } finally {
      release()
    }
  } catch (error) {
    if (!(error instanceof AutotestError)) throw error
    return { kind: 'error', message: error.message, detail: error.hint }
  }
}
