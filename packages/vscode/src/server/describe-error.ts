import { ErrorCodes, ResponseError } from 'vscode-jsonrpc'

/** Code of a request that was cancelled. */
const cancelled = -32800

/** Returns an error in words, with what to do. */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const hint = detailOf(error, 'hint')
  const text = hint === undefined ? message : `${message}. ${hint}`
  return error instanceof ResponseError && error.code === ErrorCodes.MethodNotFound
    ? `${text}. The server is older than this extension: install another one.`
    : text
}

/** Returns the code of an error of autotest, as `python_missing`. */
export function errorCodeOf(error: unknown): string | undefined {
  return detailOf(error, 'code')
}

/** Codes of errors that are about the project's Python, and not about what was asked. */
const environmentProblems: ReadonlySet<string> = new Set([
  'python_missing',
  'pytest_missing',
  'sandbox_missing',
  'python_stopped',
  'config_invalid',
])

/** Reports whether an error keeps the server from working with a project at all. */
export function isEnvironmentProblem(error: unknown): boolean {
  return environmentProblems.has(errorCodeOf(error) ?? '')
}

export function isCancelled(error: unknown): boolean {
  return error instanceof ResponseError && error.code === cancelled
}

function detailOf(error: unknown, key: 'code' | 'hint'): string | undefined {
  const data: unknown = error instanceof ResponseError ? error.data : undefined
  if (typeof data !== 'object' || data === null) return undefined
  const value: unknown = (data as Record<string, unknown>)[key]
  return typeof value === 'string' ? value : undefined
}
