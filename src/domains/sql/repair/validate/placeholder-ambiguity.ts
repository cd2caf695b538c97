import type { SqlToken } from '../../../../sql/index.js'
import { describeAmbiguousNumber, hasPlaceholder, type LeakContext, sharedNumber } from './benchmark-leaks.js'

/** Before these, the start and the end of a period cannot be confused. */
const unambiguousOperators = new Set(['>=', '<=', 'BETWEEN', 'AND'])

/**
 * Returns why a new placeholder of a period's first or last day may be the wrong one of the two: every case
 * asks for a single day, so that each, and each of its twins, has the same result with both.
 */
export function ambiguousPeriodBounds(
  before: readonly SqlToken[],
  after: readonly SqlToken[],
  cases: readonly LeakContext[],
): string[] {
  return after.flatMap((token, index) => {
    const [, parameter] = /^(\w+)\.(?:start|end)$/.exec(token.kind === 'placeholder' ? token.value : '') ?? []
    if (parameter === undefined || unambiguousOperators.has(after[index - 1]?.value ?? '')) return []
    const isNew = count(after, token) > count(before, token)
    return isNew && cases.every((each) => asksForOneDay(each, parameter))
      ? [
          `${token.text} or the other end of ${parameter}: every case asks for a single day, so the cases cannot decide`,
        ]
      : []
  })
}

/**
 * Returns why a new placeholder of a number may be confused with a constant: the length of the period, or a
 * number that the question uses elsewhere, if equal in every case. A division or multiplication by the days
 * of a period is assumed to depend on the period.
 *
 * @param isRestored whether the author once wrote it
 */
export function ambiguousNumbers(
  before: readonly SqlToken[],
  after: readonly SqlToken[],
  cases: readonly LeakContext[],
  isRestored = false,
): string[] {
  return after.flatMap((token, index) => {
    const placeholder = token.value
    if (isRestored || token.kind !== 'placeholder' || count(after, token) <= count(before, token)) return []
    const isFactor = [after[index - 1], after[index + 1]].some((sign) => /^[*/]$/.test(sign?.text ?? ''))
    const value =
      isFactor || !hasPlaceholder(placeholder, before) ? undefined : sharedNumber(placeholder, cases)
    return value === undefined
      ? []
      : [describeAmbiguousNumber(`${token.text} or ${value}`, placeholder, value)]
  })
}

function asksForOneDay({ bindings }: LeakContext, parameter: string): boolean {
  return bindings.some(
    (binding) =>
      binding.parameter === parameter &&
      binding.value.kind === 'date_range' &&
      binding.value.start === binding.value.end,
  )
}

function count(tokens: readonly SqlToken[], { kind, value }: SqlToken): number {
  return tokens.filter((token) => token.kind === kind && token.value === value).length
}
