import { AutotestError } from '../errors.js'
import { type CallSlot, type CallSlots, createCallSlots } from './call-slots.js'
import type { RoleModel } from './llm-interface.js'
import type { Failure } from './provider.js'
import { createTokenRatio, type TokenRatio } from './token-ratio.js'

/** The state of an endpoint, which roles may share. */
interface EndpointState {
  /** Number of consecutive requests without an answer. */
  consecutiveUnanswered: number
  answered: boolean
  readonly slots: CallSlots
  /** The lowered number of questions at a time that was reported last. */
  told?: number
}

/**
 * After this many consecutive requests without an answer the endpoint counts as down: the rest need not wait
 * for it, too.
 */
const maxUnanswered = 3

/** What happens at the endpoints of a run. */
export interface EndpointStates {
  slotsOf(model: RoleModel): CallSlots
  ratioOf(model: RoleModel): TokenRatio
  /** Reports whether fewer questions are asked at a time after one timed out, and says so. */
  lowerConcurrency(slot: CallSlot | undefined, model: RoleModel): boolean
  /** Takes note of a usable answer. */
  noteAnswer(model: RoleModel): void
  /** Takes note of any reply of the model. */
  noteReply(model: RoleModel): void
  /** Returns the reason why no other call would succeed; undefined if one may. */
  endBy(failure: Failure, message: string, model: RoleModel): AutotestError | undefined
}

export interface EndpointStatesOptions {
  /** Number of questions that one endpoint is asked at a time, whatever their role. */
  readonly concurrency: number
  readonly onNote: (text: string) => void
}

export function createEndpointStates({ concurrency, onNote }: EndpointStatesOptions): EndpointStates {
  const endpoints = new Map<string, EndpointState>()
  const ratios = new Map<string, TokenRatio>()

  function stateOf({ provider }: RoleModel): EndpointState {
    const state = endpoints.get(provider.name) ?? {
      consecutiveUnanswered: 0,
      answered: false,
      slots: createCallSlots(concurrency),
    }
    endpoints.set(provider.name, state)
    return state
  }

  return {
    slotsOf: (model) => stateOf(model).slots,
    ratioOf(model) {
      const label = modelLabel(model)
      const ratio = ratios.get(label) ?? createTokenRatio()
      ratios.set(label, ratio)
      return ratio
    },
    lowerConcurrency(slot, model) {
      const lowered = slot?.lowerAfterTimeout()
      const state = stateOf(model)
      if (lowered === undefined || lowered === state.told) return lowered !== undefined
      state.told = lowered
      onNote(
        `${modelLabel(model)} answered others while a question waited ${model.timeoutMs / 1000} s for it: asking ${lowered} at a time from now on, and that one again (limits.concurrency: ${lowered})`,
      )
      return true
    },
    noteAnswer(model) {
      stateOf(model).consecutiveUnanswered = 0
    },
    noteReply(model) {
      stateOf(model).answered = true
    },
    endBy: (failure, message, model) => endBy(failure, message, stateOf(model)),
  }
}

function endBy(
  { failure, hint }: Failure,
  message: string,
  endpoint: EndpointState,
): AutotestError | undefined {
  if (failure === 'rejected') return new AutotestError('llm_rejected', message, { hint })
  if (failure === 'incompatible') {
    if (endpoint.answered) return undefined
    // A hint shows that the endpoint is OpenAI-compatible and lacks a feature.
    if (hint !== undefined) return new AutotestError('llm_rejected', message, { hint })
    return new AutotestError('llm_rejected', `${message}; this is not an OpenAI-compatible endpoint`, {
      hint: 'Its `base_url` must end before /chat/completions, often in /v1.',
    })
  }
  endpoint.consecutiveUnanswered++
  if (endpoint.consecutiveUnanswered < maxUnanswered) return undefined
  return new AutotestError(
    'llm_unavailable',
    `${message}; ${endpoint.consecutiveUnanswered} requests in a row got no answer`,
    { hint: `${hint ?? 'Check that the endpoint is up.'} Then continue with --resume.` },
  )
}

/** Returns the display name of a model, which also identifies it. */
export function modelLabel({ provider, model }: RoleModel): string {
  return `${model} at ${provider.name}`
}
