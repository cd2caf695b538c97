import type { Metric, Parameter } from '../kb/entry.js'
import type { Binding, BoundValue } from '../kb/question-interpretation.js'

/** A fixed period for samples; an engine explains a query in the same way for any. */
const samplePeriod = { kind: 'date_range', start: '2025-11-01', end: '2025-11-30', grain: 'month' } as const
const sampleNumber = 5

/**
 * Returns bindings of a metric's parameters that together use every value once: the first value of each, and
 * for each further value of one parameter that value beside the first of the others.
 */
export function sampleBindings(metric: Metric): (readonly Binding[])[] {
  const parameters = [...metric.parameters].map(([name, parameter]) => ({
    name,
    values: valuesOf(parameter),
  }))
  if (parameters.some(({ values }) => values.length === 0)) return []
  const pick = (chosen: string | undefined, at: number): Binding[] =>
    parameters.flatMap(({ name, values }) => {
      const value = name === chosen ? values[at] : values[0]
      return value === undefined ? [] : [{ parameter: name, value }]
    })
  return [
    pick(undefined, 0),
    ...parameters.flatMap(({ name, values }) => values.slice(1).map((_, at) => pick(name, at + 1))),
  ]
}

function valuesOf(parameter: Parameter): BoundValue[] {
  switch (parameter.type) {
    case 'enum':
      return [...parameter.values.keys()].map((code) => ({ kind: 'enum', code }))
    case 'choice':
      return [...parameter.values].map(([name, { sql }]) => ({ kind: 'choice', name, sql }))
    case 'number':
      return [{ kind: 'number', value: parameter.default ?? sampleNumber }]
    case 'date_range':
      return [samplePeriod]
  }
}
