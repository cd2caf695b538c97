import type { KnowledgeBase, Metric } from '../../../../kb/entry.js'
import { findPlaceholders } from '../../../../kb/render-snippet.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { queriesChangedBy } from './changed-queries.js'
import { knowledgeBaseOf, type RepairContext } from './repair-context.js'
import type { RepairPlan } from './sql-repair-types.js'

/** SQL that a plan puts into the file of a metric: the expression of a choice. */
export interface ChangedChoice {
  /** The metric with the plan applied. */
  readonly metric: Metric
  readonly parameter: string
  readonly code: string
  readonly sql: string
  /** The former expression of the value; undefined if the value is new. */
  readonly former: string | undefined
  /** All former expressions of the parameter. */
  readonly known: readonly string[]
}

/**
 * Returns the choices whose expressions a plan changes. It compares the files before and after, not the
 * edits: an expression may be added with its value, with its metric or on its own.
 */
export function changedChoices(
  { edits }: Pick<RepairPlan, 'edits'>,
  before: KnowledgeBase,
  after: KnowledgeBase,
): ChangedChoice[] {
  const paths = new Set(edits.map(({ path }) => path))
  const known = metricsOf(before)
  return metricsOf(after)
    .filter(({ path }) => paths.has(path))
    .flatMap((metric) =>
      [...metric.parameters.keys()].flatMap((parameter) => {
        const old = expressionsOf(formerMetric(metric, known), parameter)
        return [...expressionsOf(metric, parameter)].flatMap(([code, sql]) => {
          const former = old.get(code)
          return former === sql ? [] : [{ metric, parameter, code, sql, former, known: [...old.values()] }]
        })
      }),
    )
}

/** Reports whether a plan changes SQL, in snippets or in choices. */
export function changesSql(
  plan: Pick<RepairPlan, 'edits'>,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): boolean {
  const [before, after] = [knowledgeBaseOf(snapshot, context), knowledgeBaseOf(candidate, context)]
  return (
    queriesChangedBy(plan, snapshot, candidate, context).length > 0 ||
    changedChoices(plan, before, after).length > 0
  )
}

/**
 * Puts the expression of a choice into a snippet at its placeholder; returns a query of the expression alone
 * if there is no placeholder.
 */
export function substituteChoice(snippet: string, parameter: string, sql: string): string {
  const places = findPlaceholders(snippet).filter(({ name }) => name === parameter)
  if (places.length === 0) return `SELECT ${sql}`
  return places.reduceRight(
    (text, { start, end }) => `${text.slice(0, start)}${sql}${text.slice(end)}`,
    snippet,
  )
}

/** Finds a metric by its id, or, if it was renamed, by its file. */
function formerMetric({ id, path }: Metric, known: readonly Metric[]): Metric | undefined {
  const inFile = known.filter((metric) => metric.path === path)
  return inFile.find((metric) => metric.id === id) ?? (inFile.length === 1 ? inFile[0] : undefined)
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
