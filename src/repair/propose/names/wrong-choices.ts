import type { SqlCase } from '../../../benchmark/case.js'
import type { KnowledgeBase, Metric } from '../../../kb/entry.js'
import type { Interpretation } from '../../../kb/interpretation.js'
import { formerLine } from '../../doubts/history.js'
import { meaningOf, type RepairContext, saysExpected } from '../../knowledge.js'
import { keyed, type NameChange } from './change.js'
import { type ChoiceParameter, expressionsFor } from './choice-changes.js'

type Bound = Extract<Interpretation, { kind: 'bound' }>

/** Another expression for the choice that the question makes, or leaves to the default: its column was renamed, say. */
export function wrongChoices(
  testCase: SqlCase,
  { metric, bindings }: Bound,
  kb: KnowledgeBase,
  context: RepairContext,
): NameChange[] {
  return bindings.flatMap(({ parameter: name, value }): NameChange[] => {
    const parameter = metric.parameters.get(name)
    if (value.kind !== 'choice' || parameter?.type !== 'choice') return []
    const found = expressionsFor(testCase, parameter, context)
    const table = /^(?:\w+\.)+(?=\w+$)/.exec(value.sql)?.[0]
    // With the table as the author calls it first: the expected query may call it otherwise.
    const own = found.flatMap((sql) => (table !== undefined && /^\w+$/.test(sql) ? [`${table}${sql}`] : []))
    const sql = [...own, ...found].find((each) => {
      const changed = withExpression(metric, name, parameter, value.name, each)
      const knowledge = { ...kb, metrics: kb.metrics.map((one) => (one === metric ? changed : one)) }
      const meaning = meaningOf(testCase, knowledge, context)
      return meaning.kind === 'bound' && saysExpected(testCase, changed, meaning.bindings, knowledge, context)
    })
    // What the file once had is tried with all that git tells of it.
    if (sql === undefined || formerLine(sql, metric.path, context) !== undefined) return []
    return [
      {
        label: 'wrong_definition',
        subject: `metric ${metric.name}`,
        title: `${metric.name}: ${name} ${value.name} is ${sql}, not ${value.sql}`,
        reasoning: `with ${sql} for ${value.name} the snippet says exactly what the expected query says`,
        doubt: `one case alone says that ${name} ${value.name} is ${sql}`,
        ...keyed([
          {
            kind: 'edit_metric',
            path: metric.path,
            entry: metric.id,
            action: 'set',
            at: ['parameters', name, 'values', value.name, 'sql'],
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
