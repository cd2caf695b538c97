import type { SqlCase } from '../../../../../benchmark/case.js'
import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import type { Interpretation } from '../../../../../kb/question-interpretation.js'
import { findRemovedLine } from '../../model/removed-lines.js'
import { interpretationOf, matchesExpected, type RepairContext } from '../../model/repair-context.js'
import { type ChoiceParameter, candidateExpressions } from './choice-changes.js'
import { type MetadataChange, withKey } from './metadata-change.js'

type Bound = Extract<Interpretation, { kind: 'bound' }>

/**
 * Returns another expression for the choice that the question makes or leaves to the default, for example
 * because its column was renamed.
 */
export function choiceExpressionChanges(
  testCase: SqlCase,
  { metric, bindings }: Bound,
  kb: KnowledgeBase,
  context: RepairContext,
): MetadataChange[] {
  return bindings.flatMap(({ parameter: name, value }): MetadataChange[] => {
    const parameter = metric.parameters.get(name)
    if (value.kind !== 'choice' || parameter?.type !== 'choice') return []
    const found = candidateExpressions(testCase, parameter, context)
    const table = /^(?:\w+\.)+(?=\w+$)/.exec(value.sql)?.[0]
    // With the author's own table name first: the expected query may use another one.
    const own = found.flatMap((sql) => (table !== undefined && /^\w+$/.test(sql) ? [`${table}${sql}`] : []))
    const sql = [...own, ...found].find((each) => {
      const changed = withExpression(metric, name, parameter, value.name, each)
      const knowledge = { ...kb, metrics: kb.metrics.map((one) => (one === metric ? changed : one)) }
      const meaning = interpretationOf(testCase, knowledge, context)
      return (
        meaning.kind === 'bound' && matchesExpected(testCase, changed, meaning.bindings, knowledge, context)
      )
    })
    // An expression that the file once had is tried together with the rest of its git history.
    if (sql === undefined || findRemovedLine(sql, metric.path, context) !== undefined) return []
    return [
      {
        label: 'wrong_definition',
        subject: `metric ${metric.name}`,
        title: `${metric.name}: ${name} ${value.name} is ${sql}, not ${value.sql}`,
        reasoning: `with ${sql} for ${value.name} the snippet matches the expected query`,
        concern: `only one case supports ${sql} for ${name} ${value.name}`,
        ...withKey([
          {
            path: metric.path,
            entry: metric.id,
            action: 'set',
            slot: { kind: 'expression', parameter: name, value: value.name },
            expected: value.sql,
            value: sql,
          },
        ]),
      },
    ]
  })
}

function withExpression(
  metric: Metric,
  name: string,
  parameter: ChoiceParameter,
  choice: string,
  sql: string,
): Metric {
  const aliases = parameter.values.get(choice)?.aliases ?? []
  const values = new Map([...parameter.values, [choice, { sql, aliases }]])
  return { ...metric, parameters: new Map([...metric.parameters, [name, { ...parameter, values }]]) }
}
