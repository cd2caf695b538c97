import { AutotestError } from '../../errors.js'

/**
 * Treats failures after an interrupt, which closes the databases, as part of the interrupt.
 *
 * @param name of the check, as in `an audit`
 */
export function interruptedCheck(name: string, cause?: unknown): AutotestError {
  if (cause instanceof AutotestError && cause.code === 'interrupted') return cause
  return new AutotestError('interrupted', `interrupted: ${name} saves no partial result`, {
    hint: 'Run it again; --tags and --id select fewer cases.',
    cause,
  })
}
