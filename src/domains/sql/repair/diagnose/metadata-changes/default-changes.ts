import type { SqlCase } from '../../../../../benchmark/case.js'
import type { KnowledgeBase, Metric, Parameter } from '../../../../../kb/entry.js'
import type { SlotEdit } from '../../../../../kb/entry-slots.js'
import type { Interpretation } from '../../../../../kb/question-interpretation.js'
import { expectedSqlFor, type RepairContext, snippetOf } from '../../model/repair-context.js'
import { solveBindings } from '../../model/solve-placeholder-values.js'
import { type MetadataChange, withKey } from './metadata-change.js'

/**
 * Returns another default for a parameter that the question does not name, if the expected query has another
 * of its values.
 */
export function defaultChanges(
  testCase: SqlCase,
  meaning: Interpretation,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  const { metric, bindings } = meaning
  const snippet = metric && snippetOf(metric, kb)
  const expectedSql = expectedSqlFor(testCase, context)
  const { parser, dialect } = context
  const schema = context.schemaOf?.(testCase)
  if (metric === undefined || snippet === undefined || expectedSql === undefined) return []
  const spoken = new Set(bindings.flatMap(({ parameter, span }) => (span === undefined ? [] : [parameter])))
  return [...metric.parameters].flatMap(([name, parameter]): MetadataChange[] => {
    if (spoken.has(name) || parameter.type === 'date_range') return []
    const known = bindings.filter((binding) => binding.parameter !== name)
    const solved = solveBindings({
      parser,
      dialect,
      schema,
      metric,
      snippet,
      expectedSql,
      known,
      unknown: [name],
    })
    const value = solved === undefined ? undefined : listedValue(parameter, solved[0]?.literal)
    if (value === undefined || value === parameter.default) return []
    const reasoning = `the question does not name ${name}, and with ${value} for it the snippet matches the expected query`
    return [{ ...defaultChange(metric, name, parameter, value), reasoning }]
  })
}

/** Returns the edit that gives a parameter another default. */
export function defaultChange(
  metric: Metric,
  name: string,
  parameter: Exclude<Parameter, { type: 'date_range' }>,
  value: string | number,
): Omit<MetadataChange, 'reasoning'> {
  const edit: SlotEdit = {
    path: metric.path,
    entry: metric.id,
    action: 'set',
    slot: { kind: 'default', parameter: name },
    expected: parameter.default,
    value,
  }
  const before = parameter.default === undefined ? 'nothing' : String(parameter.default)
  return {
    label: 'wrong_definition',
    subject: `metric ${metric.name}`,
    title: `${metric.name}: the default of ${name} is ${value}, not ${before}`,
    ...withKey([edit]),
  }
}

/** Returns the value as the metric lists it: a default must be one of the listed values. */
function listedValue(
  parameter: Exclude<Parameter, { type: 'date_range' }>,
  literal: string | undefined,
): string | number | undefined {
  if (literal === undefined) return undefined
  if (parameter.type === 'number') return Number(literal)
  return parameter.values.has(literal) ? literal : undefined
}
