import { z } from 'zod'
import type { Endpoint } from '../../config/config.js'
import { type AnswerMode, answerModes } from '../../config/model-providers.js'
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
  /** Keeps the present form for later runs, as an answer in it could be read. */
  keep(model: string): void
  /** Takes note of the length of a model's context, in tokens. */
  noteContext(model: string, tokens: number): void
  contextLimit(model: string): number | undefined
}

/** What is kept of a model between runs. */
export interface EndpointFacts {
  readonly answerModes: readonly AnswerMode[]
  readonly contextTokens?: number | undefined
}

/** Facts of earlier runs, by a key of endpoint and model. */
export interface EndpointFactStore {
  /** Returns whatever was stored, which may be of another version. */
  find(key: string): unknown
  keep(key: string, facts: EndpointFacts): void
}

const storedFacts = z.object({
  answerModes: z.array(z.enum(answerModes)).min(1),
  contextTokens: z.int().min(1).optional(),
})

/** What is known of each endpoint of a run. */
export interface EndpointMemories {
  of(endpoint: Endpoint, onNote: (text: string) => void): EndpointMemory
}

/** @param facts of earlier runs; absent: each run learns them anew */
export function createEndpointMemories(facts?: EndpointFactStore): EndpointMemories {
  const memories = new Map<string, EndpointMemory>()
  return {
    of({ baseUrl, query, provider, structured, stream }, onNote) {
      const key = JSON.stringify([baseUrl, query, provider, structured, stream])
      const known = memories.get(key)
      if (known !== undefined) return known
      const traits = endpointTraits({ baseUrl, provider, structured, stream })
      const memory = createEndpointMemory({
        baseUrl,
        key,
        facts,
        traits,
        mayStream: stream !== 'off',
        onNote,
      })
      memories.set(key, memory)
      return memory
    },
  }
}

export interface EndpointMemoryOptions {
  readonly baseUrl: string
  /** Identifies the endpoint and its settings. */
  readonly key: string
  readonly facts: EndpointFactStore | undefined
  readonly traits: EndpointTraits
  /** Whether a model in a loop may be watched by streaming. */
  readonly mayStream: boolean
  readonly onNote: (text: string) => void
}

function createEndpointMemory(options: EndpointMemoryOptions): EndpointMemory {
  const { baseUrl, key, facts, traits, mayStream, onNote } = options
  const first = initialFormat(traits)
  const forms = new Map<string, RequestFormat>()
  const contexts = new Map<string, number>()
  /** What the store has, as JSON, by model. */
  const stored = new Map<string, string>()

  function formOf(model: string): RequestFormat {
    const known = forms.get(model)
    if (known !== undefined) return known
    const form = startingForm(model)
    forms.set(model, form)
    return form
  }

  /** Returns the form of an earlier run, unless the settings changed since. */
  function startingForm(model: string): RequestFormat {
    const found = storedFacts.safeParse(facts?.find(factKey(model)))
    if (!found.success) return first
    stored.set(model, JSON.stringify(found.data))
    if (found.data.contextTokens !== undefined) contexts.set(model, found.data.contextTokens)
    const left = found.data.answerModes.filter((mode) => first.answerModes.includes(mode))
    return left.length === 0 ? first : { ...first, answerModes: left }
  }

  const factKey = (model: string): string => `${key}\0${model}`

  function keep(model: string): void {
    const { answerModes } = formOf(model)
    const now: EndpointFacts = { answerModes, contextTokens: contexts.get(model) }
    const text = JSON.stringify(now)
    if (facts === undefined || stored.get(model) === text) return
    stored.set(model, text)
    facts.keep(factKey(model), now)
  }

  return {
    formOf,
    keep,
    contextLimit(model) {
      formOf(model)
      return contexts.get(model)
    },
    noteContext(model, tokens) {
      if (contexts.get(model) === tokens) return
      contexts.set(model, tokens)
      keep(model)
    },
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
