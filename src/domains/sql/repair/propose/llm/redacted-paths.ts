import { literalPattern } from '../../../../../text/literal-pattern.js'

const redactionMark = '***'

/**
 * Returns the path that a model means which was shown a part of it as `***`: the value of some password may
 * be an ordinary word. If exactly one file matches, it is that one, whatever is redacted at present: a replay
 * need not know the password. Unchanged if several match, or none.
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
