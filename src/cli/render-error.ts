import { styleText } from 'node:util'
import { AutotestError } from '../errors.js'
import { sanitizeLine } from '../report/format-text.js'

/**
 * Returns the text of an error that ends the program: what and where, then the hint. No stack except for a
 * bug.
 */
export function renderError(
  error: unknown,
  options: { readonly color: boolean; readonly verbose: boolean },
): string {
  const label = options.color ? styleText('red', 'error') : 'error'
  if (!(error instanceof AutotestError)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return `${label}  this is a bug in autotest: ${stack}`
  }
  const lines = error.message
    .split('\n')
    .map((line, index) => (index === 0 ? `${label}  ${sanitizeLine(line)}` : `       ${sanitizeLine(line)}`))
  if (error.hint !== undefined)
    lines.push(...error.hint.split('\n').map((line) => `       ${sanitizeLine(line)}`))
  if (options.verbose) lines.push(error.stack ?? '', ...causes(error))
  return lines.join('\n')
}

function causes(error: Error): string[] {
  const { cause } = error
  if (cause === undefined) return []
  return cause instanceof Error
    ? [`caused by ${cause.stack ?? cause.message}`, ...causes(cause)]
    : [`caused by ${String(cause)}`]
}
