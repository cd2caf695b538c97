import type { Endpoint } from '../../config/config.js'
import type { AnswerMode } from '../../config/model-providers.js'
import { type EndpointTraits, endpointTraits } from './endpoint-traits.js'
import {
  type FormatFallback,
  initialFormat,
  modeNames,
  type RequestFormat,
  withoutAnswerMode,
  withStream,
} from './request-format.js'

/** What was learned of the models of one endpoint: all roles and all waiting calls share it. */
export interface EndpointMemory {
  formOf(model: string): RequestFormat
  /** Takes over what a rejection says. Concurrent calls are rejected together: only the first counts. */
  learn(model: string, sent: RequestFormat, fallback: FormatFallback): void
  leaveAnswerMode(model: string, mode: AnswerMode): void
  watchForLoops(model: string): void
  /** Takes note of the name that a server gives itself. */
  noteServer(model: string, name: string): void
}

/** What is known of each endpoint of a run. */
export interface EndpointMemories {
  of(endpoint: Endpoint, onNote: (text: string) => void): EndpointMemory
}

export function createEndpointMemories(): EndpointMemories {
  const memories = new Map<string, EndpointMemory>()
  return {
    of({ baseUrl, query, provider, structured, stream }, onNote) {
      const key = JSON.stringify([baseUrl, query, provider, structured, stream])
      const known = memories.get(key)
      if (known !== undefined) return known
      const traits = endpointTraits({ baseUrl, provider, structured, stream })
      const memory = createEndpointMemory({ baseUrl, traits, mayStream: stream !== 'off', onNote })
      memories.set(key, memory)
      return memory
    },
  }
}

export interface EndpointMemoryOptions {
  readonly baseUrl: string
  readonly traits: EndpointTraits
  /** Whether a model in a loop may be watched by streaming. */
  readonly mayStream: boolean
  readonly onNote: (text: string) => void
}

function createEndpointMemory(options: EndpointMemoryOptions): EndpointMemory {
  const { baseUrl, traits, mayStream, onNote } = options
  const first = initialFormat(traits)
  const forms = new Map<string, RequestFormat>()
  const formOf = (model: string): RequestFormat => forms.get(model) ?? first
  return {
    formOf,
    learn(model, sent, { form, dropped }) {
      if (formOf(model) !== sent) return
      forms.set(model, form)
      // The penalty is no setting of the user.
      const told = dropped.filter((setting) => setting !== 'frequency_penalty')
      if (told.length > 0)
        onNote(`${model} at ${baseUrl} does not support ${told.join(' and ')}: called without`)
    },
    leaveAnswerMode(model, mode) {
      const next = withoutAnswerMode(formOf(model), mode)
      if (next === undefined) return
      forms.set(model, next)
      const [now = mode] = next.answerModes
      onNote(
        `${model} at ${baseUrl}: ${modeNames[mode]} has no effect on its answer; asking for ${modeNames[now]} from now on`,
      )
    },
    watchForLoops(model) {
      const next = mayStream ? withStream(formOf(model)) : undefined
      if (next !== undefined) forms.set(model, next)
    },
    noteServer(model, name) {
      const form = formOf(model)
      if (/llama\.cpp/i.test(name) && !form.countsEachToken)
        forms.set(model, { ...form, countsEachToken: true })
    },
  }
}
