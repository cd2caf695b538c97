import type { Sample } from '../contracts/agent-answer.js'
import { AutotestError } from '../errors.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import type { Redactor } from '../text/secrets.js'
import type { Outcome } from './external-agent-protocol.js'
import type { Materializer } from './materialize-snapshot.js'

/**
 * Asks an agent outside the program with a copy of the snapshot on disk; every failure names the agent, and
 * contains no secret. Errors that `ask` throws concern the agent, not the question, and are rethrown.
 */
export async function sampleExternalAgent(
  agent: string,
  copies: Materializer,
  snapshot: Snapshot,
  redact: Redactor,
  ask: (kb: string) => Promise<Outcome>,
): Promise<Sample> {
  const started = performance.now()
  const outcome = await withSnapshotCopy(copies, snapshot, ask)
  const ms = performance.now() - started
  if (outcome.kind !== 'error') return { ...outcome, ms }
  const detail = outcome.detail === undefined ? undefined : redact(outcome.detail)
  return { ...outcome, message: redact(`${agent}: ${outcome.message}`), detail, ms }
}

async function withSnapshotCopy(
  copies: Materializer,
  snapshot: Snapshot,
  ask: (kb: string) => Promise<Outcome>,
): Promise<Outcome> {
  let copy: ReturnType<Materializer['use']>
  try {
    copy = copies.use(snapshot)
  } catch (error) {
    if (!(error instanceof AutotestError)) throw error
    return { kind: 'error', message: error.message, detail: error.hint }
  }
  try {
    return await ask(copy.kb)
  } finally {
    copy.release()
  }
}
