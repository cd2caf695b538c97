import type { Dialect } from '../dialect.js'
import { describeDifferences } from './diff.js'
import type { StructureFinding } from './finding.js'
import { bindByHints, columnHints, readQuotedAsText } from './normalize/hints.js'
import { normalize } from './normalize/normalize.js'
import type { SqlParser } from './port.js'
import { type PrintedQuery, printQuery } from './print.js'
import type { QueryShape } from './shape/query-shape.js'

/**
 * Compares two queries by structure, without running them. Equal canonical forms are `equal`; so are forms
 * that become equal once each query tells which columns the tables of the other have. `different` means "not
 * shown equal" and says in words how the generated query departs from the expected one.
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
  const written: Shapes = { expected: left.shape, generated: right.shape }
  if (areEqual(print(written, dialect, false))) return { kind: 'equal' }
  const hints = columnHints([left.shape, right.shape])
  const bound = both(written, (shape) => bindByHints(shape, hints))
  const printed = print(bound, dialect, false)
  if (areEqual(printed)) return { kind: 'equal' }
  const differences = describe(bound, printed, dialect)
  const texts = new Set<string>()
  const asTexts = both(bound, (shape) => readQuotedAsText(shape, texts))
  if (texts.size === 0 || !areEqual(print(asTexts, dialect, false))) return { kind: 'different', differences }
  const assumptions = [...texts]
    .sort()
    .map((text) => `no table in the queries has a column named "${text}", so that it is a text`)
  return { kind: 'equal_if', assumptions, differences }
}

interface Shapes {
  readonly expected: QueryShape
  readonly generated: QueryShape
}

interface Printed {
  readonly expected: PrintedQuery
  readonly generated: PrintedQuery
}

function both(shapes: Shapes, change: (shape: QueryShape) => QueryShape): Shapes {
  return { expected: change(shapes.expected), generated: change(shapes.generated) }
}

function print(shapes: Shapes, dialect: Dialect, qualify: boolean): Printed {
  const printed = (shape: QueryShape): PrintedQuery => printQuery(normalize(shape, dialect), { qualify })
  return { expected: printed(shapes.expected), generated: printed(shapes.generated) }
}

function areEqual({ expected, generated }: Printed): boolean {
  return expected.text === generated.text
}

/** Columns are called alike on both sides: without their table only where both queries have a single one. */
function describe(shapes: Shapes, printed: Printed, dialect: Dialect) {
  const alike = (printed.expected.tables === 1) === (printed.generated.tables === 1)
  const { expected, generated } = alike ? printed : print(shapes, dialect, true)
  return describeDifferences(expected, generated)
}
