import type { SqlCase } from '../../../../benchmark/case.js'
import { bindingLiterals, findPlaceholders } from '../../../../kb/render-snippet.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { queriesChangedBy } from '../model/changed-queries.js'
import {
  expectedSqlFor,
  interpretationOf,
  knowledgeBaseOf,
  type RepairContext,
  tokensOf,
} from '../model/repair-context.js'
import type { RepairPlan } from '../model/sql-repair-types.js'

const first = new Set(['start'])
const last = new Set(['end', 'end_exclusive'])
const range = /\bbetween\b|[<>]/i

/**
 * Reports periods of which a plan keeps only one bound where the snippet and the expected queries have both.
 * Questions about one day, or about a month of a table with one row a month, do not show the difference, nor
 * do their twins, which have periods of the same kind.
 */
export function droppedPeriodBounds(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  return queriesChangedBy(plan, snapshot, candidate, context).flatMap(({ path, before, after }) =>
    findDroppedBounds(before?.text ?? '', after?.text ?? '')
      .filter((lost) => plan.cases.some((testCase) => expectsBound(testCase, lost, candidate, context)))
      .map(({ parameter, bound }) => {
        const side = bound === first ? 'first' : 'last'
        return `${path}: it would exclude the ${side} day of ${parameter}, which the expected query includes`
      }),
  )
}

interface DroppedBound {
  readonly parameter: string
  readonly bound: ReadonlySet<string>
}

function findDroppedBounds(before: string, after: string): DroppedBound[] {
  const [old, now] = [before, after].map(findPlaceholders) as [Placeholders, Placeholders]
  // Two days without a range operator between them are a list.
  const isListed = range.test(before) && !range.test(after)
  const parameters = [...new Set(old.map(({ name }) => name))]
  return parameters
    .filter((parameter) => hasBound(old, parameter, first) && hasBound(old, parameter, last))
    .flatMap((parameter) =>
      [first, last]
        .filter((bound) => hasBound(now, parameter, bound === first ? last : first))
        .filter((bound) => isListed || !hasBound(now, parameter, bound))
        .map((bound) => ({ parameter, bound })),
    )
}

/** Reports whether the expected query has the day of the bound; for a period of one day, twice. */
function expectsBound(
  testCase: SqlCase,
  { parameter, bound }: DroppedBound,
  candidate: Snapshot,
  context: RepairContext,
): boolean {
  const { bindings } = interpretationOf(testCase, knowledgeBaseOf(candidate, context), context)
  const period = bindings.find((binding) => binding.parameter === parameter)
  if (period?.value.kind !== 'date_range') return false
  const days = new Map(bindingLiterals(period).map(({ placeholder, value }) => [placeholder, value]))
  const sql = expectedSqlFor(testCase, context) ?? ''
  const texts = tokensOf(sql, context.dialect, context.parser).filter(({ kind }) => kind === 'string')
  const times = (property: string): number => {
    const day = days.get(`${parameter}.${property}`)
    return day?.kind === 'date' ? texts.filter(({ value }) => value === day.text).length : 0
  }
  const isOneDay = period.value.start === period.value.end
  return isOneDay && times('start') > 0
    ? times('start') > 1
    : [...bound].some((property) => times(property) > 0)
}

type Placeholders = ReturnType<typeof findPlaceholders>

function hasBound(found: Placeholders, name: string, bound: ReadonlySet<string>): boolean {
  return found.some((each) => each.name === name && bound.has(each.property ?? ''))
}
