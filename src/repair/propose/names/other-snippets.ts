import type { SqlCase } from '../../../benchmark/case.js'
import type { KnowledgeBase } from '../../../kb/entry.js'
import type { Interpretation } from '../../../kb/interpretation.js'
import { formerLine } from '../../doubts/history.js'
import { type RepairContext, saysExpected } from '../../knowledge.js'
import { keyed, type NameChange } from './change.js'

type Bound = Extract<Interpretation, { kind: 'bound' }>

/** Another snippet for the metric: one that its file once named, or that no metric names, and that says what is expected. */
export function otherSnippets(
  testCase: SqlCase,
  { metric, bindings }: Bound,
  kb: KnowledgeBase,
  context: RepairContext,
): NameChange[] {
  const others = [...kb.metrics, ...kb.broken].filter(({ id }) => id !== metric.id)
  const named = new Set(others.map(({ snippet }) => snippet))
  return [...kb.snippets.values()].flatMap(({ name, path }): NameChange[] => {
    const former = formerLine(name, metric.path, context)
    if (name === metric.snippet || (former === undefined && named.has(name))) return []
    // The snippet of today may have been written to take the place of the former one, unless another metric had it already.
    const isMistaken = former !== undefined && named.has(metric.snippet)
    if (!saysExpected(testCase, { ...metric, snippet: name }, bindings, kb, context)) return []
    return [
      {
        label: 'wrong_definition',
        subject: `metric ${metric.name}`,
        title: `${metric.name}: its snippet is ${name}, not ${metric.snippet}`,
        reasoning: `${path} says exactly what the expected query says${former === undefined ? ' and no metric names it' : `; ${former.by} took it from ${metric.name}`}`,
        doubt: isMistaken ? undefined : `one case alone wants ${name} for ${metric.name}`,
        ...keyed([
          {
            kind: 'edit_metric',
            path: metric.path,
            entry: metric.id,
            action: 'set',
            at: ['snippet'],
            expected: metric.snippet,
            value: name,
          },
        ]),
      },
    ]
  })
}
