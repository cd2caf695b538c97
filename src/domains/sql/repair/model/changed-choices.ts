import type { KnowledgeBase, Metric } from '../../../../kb/entry.js'
import { findPlaceholders } from '../../../../kb/render.js'
import type { RepairPlan } from './plan.js'

/** SQL that a plan puts into the file of a metric: the expression of a choice. */
export interface ChangedChoice {
  /** As the plan has it. */
  readonly metric: Metric
  readonly parameter: string
  readonly code: string
  readonly sql: string
  /** What the code stood for; undefined where it is new. */
  readonly former: string | undefined
  /** All that the parameter could stand for. */
  readonly known: readonly string[]
}

/** By what the files come to say and not by the edits: an expression may come with its value, its metric or on its own. */
export function changedChoices(
  { edits }: Pick<RepairPlan, 'edits'>,
  before: KnowledgeBase,
  after: KnowledgeBase,
): ChangedChoice[] {
  const paths = new Set(edits.map(({ path }) => path))
  const formerly = new Map(metricsOf(before).map((metric) => [metric.path, metric]))
  return metricsOf(after)
    .filter(({ path }) => paths.has(path))
    .flatMap((metric) =>
      [...metric.parameters.keys()].flatMap((parameter) => {
        const old = expressionsOf(formerly.get(metric.path), parameter)
        return [...expressionsOf(metric, parameter)].flatMap(([code, sql]) => {
          const former = old.get(code)
          return former === sql ? [] : [{ metric, parameter, code, sql, former, known: [...old.values()] }]
        })
      }),
    )
}

/** Whether a plan changes SQL, wherever it stands. */
export function changesSql(
  plan: Pick<RepairPlan, 'edits'>,
  before: KnowledgeBase,
  after: KnowledgeBase,
): boolean {
  return (
    plan.edits.some(({ path }) => path.endsWith('.sql')) || changedChoices(plan, before, after).length > 0
  )
}

/** A snippet with the expression of a choice where it is asked for; in a query of its own where it never is. */
export function substituteChoice(snippet: string, parameter: string, sql: string): string {
  const places = findPlaceholders(snippet).filter(({ name }) => name === parameter)
  if (places.length === 0) return `SELECT ${sql}`
  return places.reduceRight(
    (text, { start, end }) => `${text.slice(0, start)}${sql}${text.slice(end)}`,
    snippet,
  )
}

function metricsOf({ metrics, broken }: KnowledgeBase): Metric[] {
  return [...metrics, ...broken.flatMap(({ metric }) => metric ?? [])]
}

function expressionsOf(metric: Metric | undefined, name: string): Map<string, string> {
  const parameter = metric?.parameters.get(name)
  return new Map(
    parameter?.type === 'choice' ? [...parameter.values].map(([code, { sql }]) => [code, sql] as const) : [],
  )
}
