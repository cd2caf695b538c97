import { literalPattern } from '../../../../../text/literal-pattern.js'

const redactionMark = '***'

/**
 * The file that a model means which was shown a part of its path as `***`: the value of some password may be an ordinary
 * word. Where one file alone fits, that is it, whatever is hidden here and now: a replay need not know the password.
 * As it is where several fit, or none.
 */
export function resolveRedactedPath(
  path: string,
  files: Iterable<string>,
  redact: (text: string) => string,
): string {
  if (!path.includes(redactionMark)) return path
  const form = new RegExp(`^${path.split(redactionMark).map(literalPattern).join('.+')}$`, 'su')
  const fitting = [...files].filter((file) => form.test(file))
  const shown = fitting.filter((file) => redact(file) === path)
  const [only, ...more] = shown.length > 0 ? shown : fitting
  return only === undefined || more.length > 0 ? path : only
}
