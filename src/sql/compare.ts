import type { Dialect } from '../dialect.js'
import { describeDifferences } from './diff.js'
import type { StructureFinding } from './finding.js'
import { normalize } from './normalize/normalize.js'
import type { SqlParser } from './port.js'
import { printQuery } from './print.js'

/**
 * Compares two queries by structure, without running them. `different` means "not shown equal" and says in
 * words how the generated query departs from the expected one.
 */
export function compareQueries(
  parser: SqlParser,
  expected: string,
  generated: string,
  dialect: Dialect,
): StructureFinding {
  const [left, right] = [parser.parse(expected, dialect), parser.parse(generated, dialect)]
  if (left.kind === 'unparsable') return { kind: 'unparsable', side: 'expected', message: left.message }
  if (right.kind === 'unparsable') return { kind: 'unparsable', side: 'generated', message: right.message }
  const shapes = { expected: normalize(left.shape, dialect), generated: normalize(right.shape, dialect) }
  const print = (qualify: boolean) => ({
    expected: printQuery(shapes.expected, { qualify }),
    generated: printQuery(shapes.generated, { qualify }),
  })
  const { expected: one, generated: other } = print(false)
  if (one.text === other.text) return { kind: 'equal' }
  const sameNaming = (one.tables === 1) === (other.tables === 1)
  const printed = sameNaming ? { expected: one, generated: other } : print(true)
  return { kind: 'different', differences: describeDifferences(printed.expected, printed.generated) }
}
