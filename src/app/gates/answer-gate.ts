import { AutotestError } from '../../errors.js'
import { type GateOption, type GateRecord, isOpen } from '../../store/gate-rows.js'
import type { RunStore } from '../../store/store.js'
import { nearest } from '../../text/nearest-word.js'
import type { StoreRequest } from '../project/project-request.js'
import type { RepairsContext } from '../repairs/repairs-context.js'
import { carryOutRunGate } from './carry-out-run-gate.js'

export interface AnsweredGate {
  readonly gate: GateRecord
  readonly option: GateOption
  /** The command that carries the answer out, or what was done. */
  readonly next: string
}

/** Records the answer to a gate. Throws `gate_unknown` for another id, and `usage` for a choice that it has not, or once it is answered or expired. */
export function answerGate(store: RunStore, id: string, choice: string, now: Date): AnsweredGate {
  const gate = store.gates.find(id)
  if (gate === undefined)
    throw new AutotestError('gate_unknown', `there is no gate ${id}`, {
      hint: 'autotest gates lists those that are open.',
    })
  const option = gate.options.find((each) => each.choice.toLowerCase() === choice.trim().toLowerCase())
  const choices = gate.options.map((each) => each.choice)
  if (option === undefined) {
    const meant = nearest(choice, choices)
    throw new AutotestError('usage', `${id} has no choice ${choice}`, {
      hint: `${meant === undefined ? '' : `did you mean ${meant}? `}Choices: ${gate.options.map((each) => `${each.choice}) ${each.text}`).join(' · ')}`,
    })
  }
  // A process that was killed between answer and deed is asked again.
  if (gate.source === 'run' && gate.answer === option.answer && gate.doneAt === undefined)
    return { gate, option, next: nextCommand(store, gate) }
  if (gate.answer !== undefined) {
    const given = gate.options.find(({ answer }) => answer === gate.answer)
    throw new AutotestError('usage', `${id} is answered already: ${given?.choice ?? gate.answer}`)
  }
  if (!isOpen(gate, now))
    throw new AutotestError('usage', `${id} expired on ${gate.expiresAt.slice(0, 10)}`, {
      hint: `Run ${nextCommand(store, gate)}: it asks anew.`,
    })
  store.gates.answer(id, option.answer, now)
  return { gate, option, next: nextCommand(store, gate) }
}

/** Returns the command that goes on with what waits at a gate. */
export function nextCommand(store: RunStore, { source, owner }: GateRecord): string {
  if (source === 'run') return 'autotest'
  return `autotest tdd ${store.tasks.find(owner)?.file ?? owner}`
}

/** Records the answer to a gate and, of a run's, carries it out. Throws what `answerGate` throws, and what keeps a repair from being written. */
export async function settleGate(
  store: RunStore,
  { id, choice }: { readonly id: string; readonly choice: string },
  request: StoreRequest,
  context: RepairsContext,
): Promise<AnsweredGate> {
  const answered = answerGate(store, id, choice, context.now())
  const { gate, option } = answered
  if (gate.source === 'task') return answered
  if (option.answer === 'keep') store.setDecision(gate.owner, 'kept')
  const { text, isDone } = await carryOutRunGate(gate, option.answer, request, context)
  if (isDone) store.gates.finish(gate.id, context.now())
  return { ...answered, next: text }
}
