import { AutotestError } from '../errors.js'
import type { FunctionDescription } from './python/worker-results.js'

/** Returns a function of a file. Throws `AutotestError('function_unknown')` with those that are there. */
export function functionNamed(
  path: string,
  qualname: string,
  functions: readonly FunctionDescription[],
): FunctionDescription {
  const found = functions.find((each) => each.qualname === qualname)
  if (found === undefined) {
    const names = functions.map((each) => each.qualname)
    throw new AutotestError('function_unknown', `${path} has no function ${qualname}`, {
      hint:
        names.length === 0
          ? 'It has none at all.'
          : `It has ${names.slice(0, 12).join(', ')}${names.length > 12 ? ', …' : ''}.`,
    })
  }
  if (found.is_nested)
    throw new AutotestError(
      'function_unknown',
      `${path}: ${qualname} is within another function, where no test reaches it`,
      {
        hint: 'Name the function around it.',
      },
    )
  return found
}
