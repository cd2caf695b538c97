import { realpathSync } from 'node:fs'
import { isOpen } from '../../store/gate-rows.js'
import type { RunStore } from '../../store/store.js'

/** Answers what waits for a decision on the repairs of a run, as that decision was made by a command. */
export function settleHeldGates(
  store: RunStore,
  root: string,
  runId: string,
  answer: 'apply' | 'reject' | 'revert',
  now: Date,
): void {
  const held = store.gates
    .ofProject(realpathSync(root))
    .filter((gate) => gate.owner === runId && /^held_(?:plan|repairs)$/.test(gate.kind) && isOpen(gate, now))
  store.together(() => {
    for (const { id } of held) {
      store.gates.answer(id, answer, now)
      store.gates.finish(id, now)
    }
  })
}
