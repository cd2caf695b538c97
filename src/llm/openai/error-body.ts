import { parseJson } from '../../text/parse-json.js'

type Fields = Readonly<Record<string, unknown>>

/**
 * Returns an error in the form that the SDK reads: `{error: …}`. Servers also send it bare, as `detail`, or
 * in a list of one.
 */
export function normalizeErrorBody(text: string): string {
  const body = fieldsIn(text)
  if (body === undefined || filled(body['error'])) return body === undefined ? text : JSON.stringify(body)
  const { message, detail, code, param } = body
  const said = [message, detail].find(filled) ?? body
  return JSON.stringify({
    error: { message: typeof said === 'string' ? said : JSON.stringify(said), code, param },
  })
}

/**
 * Returns the error that a gateway sends with a success status, with its actual status; undefined if there is
 * none.
 */
export function errorStatusIn(text: string): { readonly status: number; readonly body: object } | undefined {
  const body = text.includes('"error"') ? fieldsIn(text) : undefined
  const error = body?.['error']
  if (body === undefined || body['choices'] !== undefined || !isFields(error)) return undefined
  const status = Number(error['code'] ?? error['status'])
  return status >= 400 && status < 600 ? { status, body } : undefined
}

/** Returns the error inside a successful response without an answer; undefined if there is none. */
export function errorMessageIn(text: string): string | undefined {
  const body = text.includes('"error"') ? fieldsIn(text) : undefined
  const error = body?.['error']
  if (body?.['choices'] !== undefined || !filled(error)) return undefined
  const said = isFields(error) && filled(error['message']) ? error['message'] : error
  return typeof said === 'string' ? said : JSON.stringify(said)
}

function fieldsIn(text: string): Fields | undefined {
  const value = parseJson(text)
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  return isFields(only) ? only : undefined
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function filled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
