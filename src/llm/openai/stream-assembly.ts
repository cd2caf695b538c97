import { createParser } from 'eventsource-parser'
import { z } from 'zod'
import { parseJson } from '../../text/parse-json.js'

const text = z.string().nullish().catch(null)

const delta = z.looseObject({
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
  refusal: text,
  reasoning_content: text,
  reasoning: text,
  tool_calls: z
    .array(
      z.looseObject({
        index: z.int().nullish(),
        id: text,
        function: z.looseObject({ name: text, arguments: z.unknown().optional() }).nullish(),
      }),
    )
    .nullish(),
})

/** An event of a stream; other keys are ignored. Some servers send a whole `message` in one event. */
const event = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        index: z.int().catch(0),
        finish_reason: text,
        delta: delta.nullish(),
        message: delta.nullish(),
      }),
    )
    .nullish(),
  usage: z.unknown().optional(),
  /** Counts of llama.cpp, which it can send with each event. */
  timings: z
    .object({ prompt_n: z.int(), cache_n: z.int().default(0), predicted_n: z.int() })
    .nullish()
    .catch(null),
})
type Event = z.output<typeof event>
type Delta = z.output<typeof delta>

interface StreamedCall {
  readonly index: number
  readonly id: string | undefined
  name: string
  arguments: string
}

interface StreamedChoice {
  finish: string | null
  content: string
  readonly parts: unknown[]
  refusal: string
  reasoning: string
  readonly calls: StreamedCall[]
}

/** Puts the events of a streamed reply together. */
export interface StreamAssembly {
  /** Takes the next part of the stream, cut anywhere. */
  feed(text: string): void
  /** What the model wrote last, in whatever part of its answer. */
  tail(): string
  /** What it wrote as its answer: arguments of the first tool it called, else text. */
  written(): { readonly text: string; readonly called: boolean }
  /** Number of characters of everything it wrote. */
  length(): number
  /** Number of events with a part of the answer: each is at least one token. */
  parts(): number
  /** Whether the end of the stream was reached: each choice is finished, or the server said so. */
  isFinished(): boolean
  /** The reply in the form of one that was not streamed; an error that the server sent instead. */
  body(): Readonly<Record<string, unknown>>
  /** An event that cannot be read. */
  fault(): string | undefined
}

const maxTail = 4000

export function createStreamAssembly(): StreamAssembly {
  const choices = new Map<number, StreamedChoice>()
  let usage: unknown
  let timings: Event['timings']
  let error: unknown
  let fault: string | undefined
  let isDone = false
  let parts = 0
  let tail = ''
  let length = 0

  const parser = createParser({
    onEvent({ data }) {
      if (data.trim() === '[DONE]') isDone = true
      else take(data)
    },
  })

  function take(data: string): void {
    const found = parseJson(data)
    if (found === undefined) {
      fault ??= data
      return
    }
    if (typeof found === 'object' && found !== null && 'error' in found && found.error != null)
      error ??= found
    const read = event.safeParse(found)
    if (!read.success) {
      fault ??= data
      return
    }
    usage = read.data.usage ?? usage
    timings = read.data.timings ?? timings
    for (const { index, finish_reason: finish, delta: part, message } of read.data.choices ?? []) {
      const choice = choices.get(index) ?? newChoice()
      choices.set(index, choice)
      if (finish) choice.finish = finish
      const written = add(choice, part ?? message ?? undefined)
      if (written === '') continue
      parts++
      length += written.length
      tail = (tail + written).slice(-maxTail)
    }
  }

  return {
    feed: (part) => parser.feed(part),
    tail: () => tail,
    length: () => length,
    parts: () => parts,
    fault: () => fault,
    isFinished: () =>
      isDone ||
      error !== undefined ||
      (choices.size > 0 && [...choices.values()].every(({ finish }) => finish)),
    written() {
      const [first] = choices.values()
      const [call] = first?.calls ?? []
      return { text: call?.arguments ?? first?.content ?? '', called: call !== undefined }
    },
    body() {
      if (error !== undefined) return error as Readonly<Record<string, unknown>>
      return {
        choices: [...choices.values()].map(messageOf),
        usage: usage ?? usageOfTimings(timings),
      }
    },
  }
}

function usageOfTimings(timings: Event['timings']): object | undefined {
  if (!timings) return undefined
  return {
    prompt_tokens: timings.prompt_n + timings.cache_n,
    completion_tokens: timings.predicted_n,
    prompt_tokens_details: { cached_tokens: timings.cache_n },
  }
}

function newChoice(): StreamedChoice {
  return { finish: null, content: '', parts: [], refusal: '', reasoning: '', calls: [] }
}

/** Adds a part of a message; returns the text that it adds. */
function add(choice: StreamedChoice, part: Delta | undefined): string {
  if (part === undefined) return ''
  const { content, refusal, tool_calls: calls } = part
  const reasoning = part.reasoning_content ?? part.reasoning ?? ''
  const text = typeof content === 'string' ? content : ''
  if (Array.isArray(content)) choice.parts.push(...content)
  choice.content += text
  choice.reasoning += reasoning
  choice.refusal += refusal ?? ''
  return text + reasoning + (refusal ?? '') + (calls ?? []).map((call) => addCall(choice, call)).join('')
}

function addCall(
  { calls }: StreamedChoice,
  { index, id, function: called }: NonNullable<Delta['tool_calls']>[number],
): string {
  const name = called?.name ?? ''
  // Some gateways do not number calls: a new one has a name.
  const isNew = index == null ? Boolean(name || id) : calls.every((call) => call.index !== index)
  const known = isNew ? undefined : index == null ? calls.at(-1) : calls.find((call) => call.index === index)
  const call = known ?? { index: index ?? calls.length, id: id ?? undefined, name: '', arguments: '' }
  if (known === undefined) calls.push(call)
  call.name ||= name
  const given = called?.arguments ?? ''
  const written = typeof given === 'string' ? given : JSON.stringify(given)
  call.arguments += written
  return written
}

function messageOf({ finish, content, parts, refusal, reasoning, calls }: StreamedChoice): object {
  return {
    finish_reason: finish,
    message: {
      content: parts.length === 0 ? content : [...parts, { type: 'text', text: content }],
      ...(refusal === '' ? {} : { refusal }),
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map((call) => ({
              id: call.id,
              function: { name: call.name, arguments: call.arguments },
            })),
          }),
    },
  }
}
