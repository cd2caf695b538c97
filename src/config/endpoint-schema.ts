import { z } from 'zod'
import { addressSecret, headerProblem, isSecretName } from '../text/secrets.js'

export const nonBlankString = z.string().refine((text) => text.trim() !== '', 'is empty')

/** Name of an environment variable. */
export const variableName = z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable')

export const httpUrl = z.string().superRefine((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const secret = addressSecret(text)
  if (!/^https?:$/.test(url?.protocol ?? ''))
    context.addIssue({ code: 'custom', message: 'must be an http or https address' })
  else if (secret !== undefined)
    context.addIssue({ code: 'custom', message: `must be an address without ${secret}` })
})

/**
 * `/chat/completions` is appended, and it is shown in messages: a key in it would neither work nor stay
 * secret.
 */
const baseUrl = httpUrl.refine(
  (text) => !/[?#]|\/chat\/completions\/*$/.test(text),
  'must end before /chat/completions; put a key into the variable of `key_env`, and query parameters into `extra_query`',
)

/** Headers that control how a request is sent, which a file must not set. */
const reservedHeaders =
  /^(?:accept|connection|content-.*|expect|host|te|trailer|transfer-encoding|upgrade|user-agent)$/i

const headerName = /^[!#$%&'*+.^`|~\w-]+$/

const text = z.union([nonBlankString, z.number(), z.boolean()]).transform(String)

const headerValue = z.union([
  text.superRefine((value, context) => {
    const message = headerProblem(value)
    if (message !== undefined) context.addIssue({ code: 'custom', message: `contains ${message}` })
  }),
  z.strictObject({ env: variableName }),
])

/** Secrets belong in the environment. */
const secretInFileMessage = 'contains a secret, which must not be in a file: write { env: NAME }'

const extraHeaders = z.record(z.string(), headerValue).superRefine((headers, context) => {
  for (const [name, value] of Object.entries(headers)) {
    const message = headerProblemOf(name, value)
    if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message })
  }
})

function headerProblemOf(name: string, value: z.output<typeof headerValue>): string | undefined {
  if (!headerName.test(name)) return 'must be the name of a header'
  if (reservedHeaders.test(name)) return 'is a header that autotest sets'
  const isSecret = isSecretName(name) || /authorization|cookie/i.test(name)
  return isSecret && typeof value === 'string' ? secretInFileMessage : undefined
}

const extraQuery = z.record(nonBlankString, text).superRefine((query, context) => {
  for (const name of Object.keys(query))
    if (isSecretName(name))
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'contains a secret, and addresses are shown: send it as a header of `extra_headers`',
      })
})

/** Where models are reached, and what each request to it carries. */
export const endpoint = {
  base_url: baseUrl.optional(),
  key_env: variableName.nullish(),
  extra_headers: extraHeaders.optional(),
  extra_query: extraQuery.optional(),
}

/** Fields of a request that have their own setting, or without which the answer could not be read. */
const reservedFields: Readonly<Record<string, string>> = {
  model: '`model`',
  temperature: '`temperature`',
  seed: '`seed`',
  max_tokens: '`max_tokens`',
  max_completion_tokens: '`max_tokens`',
  messages: 'the definition of the role',
  tools: 'the definition of the role',
  tool_choice: 'the definition of the role',
  functions: 'the definition of the role',
  function_call: 'the definition of the role',
  response_format: 'the definition of the role',
  n: '`--repeat`',
  stream: 'autotest, which reads whole answers',
  stream_options: 'autotest, which reads whole answers',
}

/**
 * Model options besides the protocol's common fields: `reasoning_effort`, `chat_template_kwargs`, `top_p`.
 */
export const extraBody = z.record(nonBlankString, z.json()).superRefine((fields, context) => {
  for (const name of Object.keys(fields)) {
    const place = Object.hasOwn(reservedFields, name) ? reservedFields[name] : undefined
    if (place !== undefined)
      context.addIssue({ code: 'custom', path: [name], message: `is decided by ${place}` })
  }
  for (const path of secretPaths(fields))
    context.addIssue({
      code: 'custom',
      path: [...path],
      message: 'contains a secret, and requests are recorded: send it as a header of `extra_headers`',
    })
})

/** Shorter texts are settings: `stop_token: </s>`. */
const minKeyLength = 8

/** Returns the paths of texts whose key names a secret. */
function secretPaths(value: unknown): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string'
      ? isSecretName(name) && inner.length >= minKeyLength
        ? [[name]]
        : []
      : secretPaths(inner).map((path) => [name, ...path]),
  )
}
