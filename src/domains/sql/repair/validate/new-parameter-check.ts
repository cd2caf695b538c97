import type { EnumParameter, Metric, Parameter } from '../../../../kb/entry.js'
import { containsWords } from '../../../../kb/words/contains-words.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { createdMetrics } from '../model/created-metrics.js'
import { interpretationOf, knowledgeBaseOf, type RepairContext } from '../model/repair-context.js'
import type { RepairPlan } from '../model/sql-repair-types.js'

/**
 * Returns why the parameters of a new metric must not be as a plan has them. Its cases ask for one or two
 * values: the names of the others are known from metrics that have the parameter already, and for a new
 * parameter only from questions. A default is an answer to questions that do not state what they ask for.
 */
export function unexpectedParameters(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  const known = knowledgeBaseOf(snapshot, context).metrics
  return createdMetrics(snapshot, candidate, context).flatMap((metric) =>
    [...metric.parameters].flatMap(([name, parameter]) => {
      const existingParameters = known.flatMap(({ parameters }) => parameters.get(name) ?? [])
      const reason =
        (parameter.type === 'enum' ? unexpectedValue(parameter, existingParameters, plan) : undefined) ??
        unexpectedDefault(metric, name, parameter, existingParameters, plan, candidate, context)
      return reason === undefined ? [] : [`${metric.path}: ${name} ${reason}`]
    }),
  )
}

function unexpectedValue(
  parameter: EnumParameter,
  existingParameters: readonly Parameter[],
  plan: RepairPlan,
): string | undefined {
  const same = existingParameters.filter((other) => other.type === 'enum')
  if (same.length > 0) {
    const strange = [...parameter.values].find(
      ([code, words]) => !same.some((other) => declaresAliases(other, code, words)),
    )
    return strange === undefined
      ? undefined
      : `has the value ${strange[0]} with other words than the metrics that already have it`
  }
  const word = [...parameter.values.values()]
    .flat()
    .find((each) => !plan.cases.some(({ question }) => containsWords(question, each)))
  return word === undefined ? undefined : `has the word "${word}" for a value, which no question contains`
}

/**
 * Reports whether another metric has the code with at least these words. Fewer values and fewer words leave
 * questions unanswered, but give none a wrong answer.
 */
function declaresAliases(other: EnumParameter, code: string, words: readonly string[]): boolean {
  const known = other.values.get(code)?.map((word) => word.toLowerCase())
  return known !== undefined && words.every((word) => known.includes(word.toLowerCase()))
}

function unexpectedDefault(
  metric: Metric,
  name: string,
  parameter: Parameter,
  existingParameters: readonly Parameter[],
  plan: RepairPlan,
  candidate: Snapshot,
  context: RepairContext,
): string | undefined {
  const fallback = defaultOf(parameter)
  if (fallback === undefined || existingParameters.some((other) => defaultOf(other) === fallback))
    return undefined
  const kb = knowledgeBaseOf(candidate, context)
  const isAsked = plan.cases.some((testCase) => {
    const meaning = interpretationOf(testCase, kb, context)
    return (
      meaning.metric?.id === metric.id &&
      meaning.bindings.some(({ parameter: bound, span }) => bound === name && span === undefined)
    )
  })
  return isAsked ? undefined : `has the default ${fallback}, but every question names the value`
}

function defaultOf(parameter: Parameter): string | number | undefined {
  return parameter.type === 'date_range' ? undefined : parameter.default
}
