import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

const message = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
    .optional(),
})
const tool = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string(),
    description: z.string(),
    strict: z.literal(true),
    parameters: z.looseObject({ type: z.literal('object') }),
  }),
})
const chatBody = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z.array(tool).optional(),
  tool_choice: z
    .union([
      z.literal('auto'),
      z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
    ])
    .optional(),
  response_format: z.looseObject({ type: z.string() }).optional(),
  max_tokens: z.int().optional(),
  temperature: z.number().optional(),
  seed: z.int().optional(),
  max_completion_tokens: z.int().optional(),
})
type ChatBody = z.output<typeof chatBody>

/** A request as policies read it. */
export interface Asked extends ChatBody {
  /** Everything that the model is shown, in order. */
  readonly prompt: string
  readonly last: string
  readonly headers: IncomingHttpHeaders
  /** Behind the address, by name. */
  readonly query: Readonly<Record<string, string>>
  /** 1 for the first request that the server was sent. */
  readonly count: number
}

/** What a model says: arguments of the answering tool, plain text, or whatever is written to the response. */
export type Said =
  | { readonly answer: unknown }
  /** Calls of tools in one turn. */
  | { readonly calls: readonly { readonly name: string; readonly arguments: unknown }[] }
  | { readonly text: string | null }
  | { readonly status: number; readonly error?: unknown; readonly headers?: Record<string, string> }
  | { readonly raw: (response: ServerResponse) => void }

export type Policy = (asked: Asked) => Said | Promise<Said>

export interface ChatServer {
  /** As `llm.base_url` takes it. */
  readonly baseUrl: string
  /** Every request, in order. */
  readonly asked: readonly Asked[]
  close(): Promise<void>
}

export interface ChatServerOptions {
  /** The only key that is let in; absent: anybody is. */
  readonly key?: string
  /** Latency of an answer, in milliseconds. */
  readonly latencyMs?: number
  /** Without it, replies name no usage. */
  readonly usage?: boolean
  /** What of the protocol the server refuses. */
  readonly refuses?: readonly ('tools' | 'response_format')[]
}

/** A model server on loopback that speaks chat completions: tools, structured outputs, usage, errors. */
export async function startChatServer(policy: Policy, options: ChatServerOptions = {}): Promise<ChatServer> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    handle(request, response, policy, options, asked).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500)
      response.end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    asked,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  policy: Policy,
  options: ChatServerOptions,
  log: Asked[],
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1')
  if (pathname !== '/v1/chat/completions' || request.method !== 'POST') {
    sendError(response, 404, { message: `no route ${request.url}` })
    return
  }
  if (options.key !== undefined && request.headers.authorization !== `Bearer ${options.key}`) {
    sendError(response, 401, { message: `Incorrect API key provided: ${request.headers.authorization}` })
    return
  }
  let text = ''
  for await (const part of request) text += part
  const body = chatBody.safeParse(JSON.parse(text))
  if (!body.success) {
    sendError(response, 400, { message: z.prettifyError(body.error) })
    return
  }
  const refused = options.refuses?.find((part) => body.data[part] !== undefined)
  if (refused !== undefined) {
    sendError(response, 400, { message: `${refused} is not supported`, param: refused })
    return
  }
  const prompt = body.data.messages.map(({ content }) => content).join('\n')
  const asked = {
    ...body.data,
    prompt,
    last: body.data.messages.at(-1)?.content ?? '',
    headers: request.headers,
    query: Object.fromEntries(searchParams),
    count: log.length + 1,
  }
  log.push(asked)
  const said = await policy(asked)
  if (options.latencyMs !== undefined) await new Promise((resolve) => setTimeout(resolve, options.latencyMs))
  send(response, said, asked, options)
}

function send(response: ServerResponse, said: Said, asked: Asked, options: ChatServerOptions): void {
  if ('raw' in said) {
    said.raw(response)
    return
  }
  if ('status' in said) {
    sendError(response, said.status, said.error ?? { message: 'no' }, said.headers)
    return
  }
  if ('calls' in said) {
    sendCalls(response, said.calls, asked)
    return
  }
  const text = 'answer' in said ? JSON.stringify(said.answer) : (said.text ?? '')
  const choice =
    'answer' in said && asked.tools !== undefined
      ? {
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: `call_${asked.count}`,
                type: 'function',
                function: {
                  name: typeof asked.tool_choice === 'object' ? asked.tool_choice.function.name : undefined,
                  arguments: text,
                },
              },
            ],
          },
        }
      : {
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'text' in said ? said.text : text },
        }
  const usage = {
    prompt_tokens: Math.ceil(asked.prompt.length / 4),
    completion_tokens: Math.ceil(text.length / 4),
  }
  sendJson(response, 200, {
    id: `chatcmpl-${asked.count}`,
    object: 'chat.completion',
    model: asked.model,
    choices: [{ index: 0, ...choice }],
    ...(options.usage === false ? {} : { usage }),
  })
}

function sendCalls(
  response: ServerResponse,
  calls: Extract<Said, { readonly calls: unknown }>['calls'],
  asked: Asked,
): void {
  const message =
    asked.tools === undefined
      ? { role: 'assistant', content: JSON.stringify({ calls }) }
      : {
          role: 'assistant',
          content: null,
          tool_calls: calls.map((call, at) => ({
            id: `call_${asked.count}_${at}`,
            type: 'function',
            function: { name: call.name, arguments: JSON.stringify(call.arguments) },
          })),
        }
  sendJson(response, 200, {
    choices: [{ index: 0, finish_reason: asked.tools === undefined ? 'stop' : 'tool_calls', message }],
    usage: { prompt_tokens: Math.ceil(asked.prompt.length / 4), completion_tokens: 20 },
  })
}

function sendError(
  response: ServerResponse,
  status: number,
  error: unknown,
  headers: Record<string, string> = {},
): void {
  sendJson(response, status, { error }, headers)
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
