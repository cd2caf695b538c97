import { bindingLiterals, placeholders } from '../../kb/render.js'
import { readText, type Snapshot } from '../../snapshot/snapshot.js'
import { expectedFor, knowledgeOf, meaningOf, type RepairContext, tokensOf } from '../knowledge.js'
import type { RepairPlan } from '../plan.js'

const first = new Set(['start'])
const last = new Set(['end', 'end_exclusive'])
const range = /\bbetween\b|[<>]/i

/**
 * Periods of which a plan leaves one bound where a snippet had both and the expected queries have them, too. Questions about one
 * day, or about a month of a table with one row a month, do not show the difference, and twins are of their kind.
 */
export function lostBounds(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  const kb = knowledgeOf(candidate, context)
  const paths = new Set(plan.edits.map(({ path }) => path).filter((path) => path.endsWith('.sql')))
  return [...paths].flatMap((path) => {
    const texts = [snapshot, candidate].map((each) => readText(each, path) ?? '') as [string, string]
    const [old, now] = texts.map(placeholders) as [Placeholders, Placeholders]
    // Two days that nothing lies between: a list of them.
    const isListed = range.test(texts[0]) && !range.test(texts[1])
    const names = [...new Set(old.map(({ name }) => name))]
    return names.flatMap((name) =>
      [first, last].flatMap((bound) => {
        const other = bound === first ? last : first
        const isLost =
          has(old, name, first) &&
          has(old, name, last) &&
          has(now, name, other) &&
          (isListed || !has(now, name, bound))
        if (!isLost) return []
        const side = bound === first ? 'first' : 'last'
        return plan.cases.some((testCase) => {
          const meaning = meaningOf(testCase, kb, context)
          const period = meaning.bindings.find(({ parameter }) => parameter === name)
          if (period?.value.kind !== 'date_range') return false
          const days = new Map(bindingLiterals(period).map(({ placeholder, value }) => [placeholder, value]))
          const expected = tokensOf(
            expectedFor(testCase, context) ?? '',
            context.dialect,
            context.parser,
          ).filter(({ kind }) => kind === 'string')
          const times = (property: string): number => {
            const day = days.get(`${name}.${property}`)
            return day?.kind === 'date' ? expected.filter(({ value }) => value === day.text).length : 0
          }
          const isOneDay = times('start') > 0 && times('start') === times('end') && isSame(days, name)
          return isOneDay ? times('start') > 1 : [...bound].some((property) => times(property) > 0)
        })
          ? [`${path}: it would leave out the ${side} day of ${name}, which the expected query has`]
          : []
      }),
    )
  })
}

type Placeholders = ReturnType<typeof placeholders>

function has(found: Placeholders, name: string, bound: ReadonlySet<string>): boolean {
  return found.some((each) => each.name === name && bound.has(each.property ?? ''))
}

function isSame(days: ReadonlyMap<string, unknown>, name: string): boolean {
  const [start, end] = ['start', 'end'].map((property) => JSON.stringify(days.get(`${name}.${property}`)))
  return start === end
}
