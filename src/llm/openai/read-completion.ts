import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { parseJson } from '../../text/parse-json.js'
import type { Redactor } from '../../text/secrets.js'
import { decodeUtf8 } from '../../text/utf8.js'
import type { ChatRequest, Completion, Failure, ModelText, Usage } from '../provider.js'
import { findDuplicateKey } from '../reply-json.js'
import { errorMessageIn } from './error-body.js'

/** Servers that do not count send 0, which no call uses, and which no budget would notice. */
const tokens = z.int().min(1)

const usage = z
  .object({
    prompt_tokens: tokens,
    completion_tokens: tokens,
    prompt_tokens_details: z
      .object({ cached_tokens: z.int().min(1) })
      .nullish()
      .catch(null),
  })
  .transform(
    ({
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      prompt_tokens_details: details,
    }): Usage =>
      details
        ? { inputTokens, outputTokens, cachedTokens: details.cached_tokens }
        : { inputTokens, outputTokens },
  )

/** Returns the usage that a server reports; undefined if it does not, or counts nothing. */
export function readUsage(reported: unknown): Usage | undefined {
  return usage.safeParse(reported).data
}

const toolCall = z.object({
  id: z.string().nullish().catch(null),
  function: z.object({ name: z.string(), arguments: z.unknown() }).nullish(),
})

/** Gateways and some servers send an answer as a list of parts. */
const part = z.looseObject({ type: z.string() })

const incompatibleHint = 'Update the server, or set llm.base_url to one that supports chat completions.'

const encodingHint = 'Check llm.base_url, and the gateway in front of it: JSON must be UTF-8.'

/** The reply of every OpenAI-compatible server; other keys are ignored. */
const completion = z.object({
  choices: z
    .array(
      z.object(
        {
          finish_reason: z.string().nullish(),
          message: z.object(
            {
              content: z.union([z.string(), z.array(part)], 'must be text or a list of parts').nullish(),
              refusal: z.string().nullish(),
              reasoning_content: z.unknown().optional(),
              reasoning: z.unknown().optional(),
              tool_calls: z.array(toolCall).nullish(),
            },
            'is missing',
          ),
        },
        'is not an object',
      ),
      'is missing, or not a list',
    )
    .min(1, 'is empty'),
  usage: usage.nullish().catch(null),
})

/**
 * Reads the body of a 200 as a completion: complete, finished and a single answer, or why not.
 *
 * @param start returns the shown part of a text of the server
 */
export function readCompletion(body: Uint8Array, request: TurnRequest, start: Excerpter): Completion {
  const text = decodeUtf8(body)
  if (text === undefined) return { ...failed('incompatible', 'the reply is not UTF-8'), hint: encodingHint }
  const json = parseJson(text)
  if (json === undefined) return incompatibleReply(text, start)
  const error = errorMessageIn(text)
  if (error !== undefined) return failed('transient', `its reply is an error: ${start(error)}`)
  const outcome = completion.safeParse(json)
  if (!outcome.success) {
    const message = `the reply has no usable choice: ${faultIn(outcome.error)}${start(text)}`
    return {
      ...failed('incompatible', message),
      ...(hasChoices(outcome.error) ? { hint: incompatibleHint } : {}),
    }
  }
  const { choices, usage: counted } = outcome.data
  const [said] = choices.map(wordsOf)
  const answer = singleAnswer(choices, request, text, start)
  const read = answer.kind === 'failure' ? { ...answer, said } : answer
  return { ...read, usage: counted ?? undefined }
}

/**
 * Finish reasons of a model that stopped by itself: those of OpenAI, Together, TGI, and gateways to
 * Anthropic's.
 */
const normalFinishReasons: ReadonlySet<string> = new Set([
  'stop',
  'tool_calls',
  'function_call',
  'eos',
  'eos_token',
  'end_turn',
])

type TurnRequest = Pick<ChatRequest, 'answer' | 'maxTokens' | 'tools'>
type Choice = z.output<typeof completion>['choices'][number]

/**
 * Returns the single answer, as one choice was requested. A reply that could be read as two answers is
 * rejected, like two blocks of JSON.
 */
function singleAnswer(
  choices: readonly Choice[],
  request: TurnRequest,
  body: string,
  start: Excerpter,
): Completion {
  const doubled = findDuplicateKey(body, 'choices')
  if (doubled !== undefined) return failed('unusable', `the reply is ambiguous: ${doubled}`)
  const [answer, ...others] = choices.map((choice) => answerOf(choice, request, start))
  if (answer === undefined) throw new Error('a choice was checked to be there')
  return others.every((other) => isDeepStrictEqual(other, answer))
    ? answer
    : failed('unusable', `the reply is ambiguous: it has ${choices.length} choices, which differ`)
}

/** Returns what the model wrote, whether or not it can be used. */
function wordsOf({ message: { content, refusal, tool_calls: calls } }: Choice): ModelText {
  const [call] = calls ?? []
  if (call !== undefined) {
    const given = call.function?.arguments ?? ''
    return { text: typeof given === 'string' ? given : JSON.stringify(given), called: true }
  }
  if (refusal) return { text: refusal, called: false, refused: true }
  const parts = Array.isArray(content)
    ? content.map(({ text }) => (typeof text === 'string' ? text : ''))
    : []
  return {
    text: typeof content === 'string' && content !== '' ? content : parts.join(''),
    called: false,
  }
}

function answerOf(
  { finish_reason: finish, message }: Choice,
  { answer, maxTokens, tools }: TurnRequest,
  start: Excerpter,
): Completion {
  const answerTool = answer.function.name
  // Without a finish reason, a truncated answer looks complete.
  if (!finish) {
    const hint = 'Update the server, or set llm.base_url to one that returns a finish_reason.'
    return { ...failed('incompatible', 'the reply has no finish_reason, so it may be truncated'), hint }
  }
  if (finish === 'length') {
    const hint = 'Raise max_tokens of the role in `llm.roles`.'
    return { ...failed('unusable', `the answer was cut at its limit of ${maxTokens} tokens`), hint }
  }
  if (!normalFinishReasons.has(finish.toLowerCase()))
    return failed('unusable', `the answer ended with finish_reason ${start(finish)}`)
  if (message.refusal) return failed('unusable', `the model refused: ${start(message.refusal)}`)
  const calls = message.tool_calls ?? []
  if (tools !== undefined && calls.length > 0) return turnOf(calls, message.content ?? '', start)
  if (calls.length > 1) return failed('unusable', `the model called ${calls.length} tools at once`)
  const [call] = calls
  if (call !== undefined && call.function?.name !== answerTool)
    return failed('unusable', `the model called ${toolIn(call, start)}, not ${answerTool}`)
  const said = call === undefined ? textOf(message.content ?? '', start) : argumentsOf(call)
  if ('problem' in said) return failed('unusable', said.problem)
  if (said.text.trim() !== '') return { kind: 'reply', ...said, called: call !== undefined }
  if (!message.reasoning_content && !message.reasoning) return failed('unusable', 'the answer is empty')
  const hint = "Check the server's reasoning parser: it may treat the answer as reasoning."
  return { ...failed('unusable', 'the answer is empty, it has only reasoning'), hint }
}

function toolIn({ function: called }: z.output<typeof toolCall>, start: Excerpter): string {
  return called ? `the tool ${start(called.name)}` : 'a tool that is not a function'
}

/** Returns the calls of a turn with tools, in the form in which a model that knows of no tools would write them. */
function turnOf(
  calls: readonly z.output<typeof toolCall>[],
  content: Parameters<typeof textOf>[0],
  start: Excerpter,
): Completion {
  const written = []
  for (const call of calls) {
    const given = argumentsOf(call)
    if (!call.function) return failed('unusable', `the model called ${toolIn(call, start)}`)
    // What keeps to no schema is told to the model as the result of its call.
    const args = 'problem' in given ? '' : given.text
    written.push({ id: call.id ?? undefined, name: call.function.name, arguments: args })
  }
  const beside = textOf(content, start)
  const text = 'text' in beside && beside.text.trim() !== '' ? beside.text : undefined
  return { kind: 'reply', text: JSON.stringify({ text, calls: written }), called: true }
}

type Said = { readonly text: string } | { readonly problem: string }

/** Returns the arguments: JSON in a text, or, from some gateways, an object. */
function argumentsOf({ function: called }: z.output<typeof toolCall>): Said {
  const given = called?.arguments
  if (typeof given === 'string') return { text: given }
  if (typeof given !== 'object' || given === null)
    return { problem: 'the arguments of its tool call are not a JSON object' }
  return { text: JSON.stringify(given) }
}

/** Types of reasoning parts before the answer, as Mistral's and Anthropic's models send them: ignored. */
const reasoningPartTypes: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking', 'reasoning'])

/** Returns the text of text parts: the meaning of an image or another part is not guessed. */
function textOf(content: string | readonly z.output<typeof part>[], start: Excerpter): Said {
  if (typeof content === 'string') return { text: content }
  let whole = ''
  for (const { type, text } of content) {
    if (reasoningPartTypes.has(type)) continue
    if (type !== 'text' || typeof text !== 'string')
      return { problem: `the answer has a part of type ${start(type)} where only text is supported` }
    whole += text
  }
  return { text: whole }
}

function faultIn({ issues }: z.ZodError): string {
  const [issue] = issues
  return issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: ${issue.message}: `
}

/** Reports whether there is a list of choices, which is itself invalid. */
function hasChoices({ issues }: z.ZodError): boolean {
  return issues.every(({ path, code }) => path.length > 2 || code === 'too_small')
}

function incompatibleReply(text: string, start: Excerpter): Failure {
  if (text.trim() === '') return failed('incompatible', 'the reply is empty')
  const what = /^\s*</.test(text) ? 'the reply is a page of HTML' : 'the reply is not JSON'
  return failed('incompatible', `${what}: ${start(text)}`)
}

function failed(failure: Failure['failure'], message: string): Failure {
  return { kind: 'failure', failure, message }
}

/** Returns the shown part of a text of the server. */
export type Excerpter = (text: string) => string

/**
 * Creates a function that returns the beginning of a text on one line. Secrets are removed before it is
 * truncated: half of one would not be recognised.
 */
export function createExcerpter(redact: Redactor): Excerpter {
  return (text) => {
    const line = redact(text, 'echo')
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim()
    return line.length > 160 ? `${line.slice(0, 159)}…` : line
  }
}
