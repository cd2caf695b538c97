import { type Dialect, dialects, isDialect } from '../../enums/dialect.js'
import { AutotestError } from '../../errors.js'
import { nearest } from '../../text/nearest-word.js'

/**
 * Returns the dialect with the name; `where` is the flag or key it was given in. Throws `usage` with the
 * nearest name.
 */
export function parseDialect(name: string, where: string): Dialect {
  const plain = name.trim().toLowerCase()
  if (isDialect(plain)) return plain
  const meant = nearest(plain, dialects)
  throw new AutotestError(
    'usage',
    `${where} "${name.slice(0, 40)}": unknown dialect${meant === undefined ? '' : `, did you mean "${meant}"?`}`,
    { hint: `The dialects are ${dialects.join(', ')}.` },
  )
}
