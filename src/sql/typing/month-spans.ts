import { withoutOverflow } from '../functions/interval-arithmetic.js'
import type { Assumptions } from '../relational/assumptions.js'
import { apply, type Expression, word } from '../shape/query-shape.js'

/** Months that count as whole on the last day of a shorter one. */
export function wholeMonthsWithoutOverflow(
  [unit, early, late]: readonly Expression[],
  assumptions: Assumptions,
): Expression | undefined {
  const plain = unit?.kind === 'literal' ? /^(\w+), to the last day$/u.exec(unit.value)?.[1] : undefined
  if (plain === undefined || early === undefined || late === undefined) return undefined
  return assumptions.assume('types', 'no span of months ends on the last day of a shorter month')
    ? apply('whole_units', word(plain), early, late)
    : undefined
}

/** A span of months after the end of a shorter month. */
export function intervalWithoutOverflow(
  amount: Expression,
  unit: Expression,
  assumptions: Assumptions,
): Expression | undefined {
  const plain = unit.kind === 'literal' ? withoutOverflow(unit.value) : undefined
  if (plain === undefined) return undefined
  const isMade = assumptions.assumeDialectDefault(
    'types',
    'no date moved by months meets a month that lacks its day',
  )
  return isMade ? apply('interval', amount, word(plain)) : undefined
}
