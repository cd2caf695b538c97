import type { RefusalRecord } from '../../store/refusal-rows.js'
import { openStore } from '../../store/store.js'

/**
 * Records refused writes in the run database of a project. Returns why they could not be recorded: a refusal holds all the same.
 */
export async function recordRefusals(
  database: string,
  refusals: readonly Omit<RefusalRecord, 'at'>[],
  now: () => Date,
): Promise<string | undefined> {
  if (refusals.length === 0) return undefined
  try {
    const store = await openStore(database, { now })
    try {
      store.refusals.record(refusals.map((refusal) => ({ at: now().toISOString(), ...refusal })))
    } finally {
      store.close()
    }
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
