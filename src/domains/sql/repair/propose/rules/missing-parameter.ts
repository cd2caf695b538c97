import type { KnowledgeBase, Metric, Parameter } from '../../../../../kb/entry.js'
import { parameterValue, type SlotEdit } from '../../../../../kb/entry-slots.js'
import { interpret } from '../../../../../kb/interpret-question.js'
import type { Binding } from '../../../../../kb/question-interpretation.js'
import { bindingLiterals, findPlaceholders } from '../../../../../kb/render-snippet.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { readCommonParameters } from '../../model/common-parameters.js'
import {
  expectedSqlFor,
  knowledgeBaseOf,
  type RepairContext,
  renderEdits,
  rewriteQuery,
  snippetOf,
  tokensOf,
} from '../../model/repair-context.js'
import type { Diagnosis, ProposalRequest, Proposals, RepairPlan } from '../../model/sql-repair-types.js'
import { type Example, proposeSnippets } from './snippet-proposals.js'

/** A parameter that a question names and that other metrics have, but not its own metric. */
export interface MissingParameter {
  readonly name: string
  readonly parameter: Parameter
  /** The metric with the parameter added. */
  readonly metric: Metric
  /** The bindings of the question with it. */
  readonly bindings: readonly Binding[]
  /** The text in the snippet in place of one of its values, as written. */
  readonly hardCodedValue: string | undefined
}

/** Returns the one parameter with which the question would be understood; undefined if there is none. */
export function findMissingParameter(
  { evaluation: { testCase }, interpretation }: Diagnosis,
  kb: KnowledgeBase,
  context: RepairContext,
): MissingParameter | undefined {
  if (interpretation.kind === 'bound' || interpretation.reason !== 'leftover_words') return undefined
  const { metric } = interpretation
  const snippet = metric && snippetOf(metric, kb)
  const asOf = context.asOf(testCase)
  const reading = metric && readCommonParameters(testCase.question, kb, asOf)
  if (metric === undefined || snippet === undefined || reading === undefined) return undefined
  const [lost, ...more] = [...reading.parameters].filter(([name]) => !metric.parameters.has(name))
  if (lost === undefined || more.length > 0) return undefined
  const [name, parameter] = lost
  const changed = { ...metric, parameters: new Map([...metric.parameters, lost]) }
  const metrics = kb.metrics.map((other) => (other.id === metric.id ? changed : other))
  const meaning = interpret(testCase.question, { ...kb, metrics }, asOf)
  if (meaning.kind !== 'bound' || meaning.metric !== changed) return undefined
  const { bindings } = meaning
  return {
    name,
    parameter,
    metric: changed,
    bindings,
    hardCodedValue: findHardCodedValue(snippet.text, parameter, context),
  }
}

/** Returns the code of an enum that the snippet compares with. */
function findHardCodedValue(text: string, parameter: Parameter, context: RepairContext): string | undefined {
  if (parameter.type !== 'enum') return undefined
  const tokens = tokensOf(text, context.dialect, context.parser)
  return tokens.find(({ kind, value }) => kind === 'string' && parameter.values.has(value))?.text
}

/**
 * Proposes to declare the parameter as other metrics do, and to use it in the snippet. A single case does not
 * show whether the metric should have one.
 */
export function proposeMissingParameter(
  { diagnoses, subject, label }: ProposalRequest,
  snapshot: Snapshot,
  context: RepairContext,
): Proposals {
  const kb = knowledgeBaseOf(snapshot, context)
  const found = diagnoses.map((diagnosis) => findMissingParameter(diagnosis, kb, context))
  const [lost] = found
  const snippet = lost && snippetOf(lost.metric, kb)
  if (lost === undefined || snippet === undefined) return { plans: [], abstained: 'no parameter is missing' }
  const { name, parameter, metric } = lost
  const examples = diagnoses.flatMap(({ evaluation: { testCase } }, index): Example[] => {
    const [expectedSql, bindings] = [expectedSqlFor(testCase, context), found[index]?.bindings]
    if (expectedSql === undefined || bindings === undefined) return []
    return [{ caseId: testCase.id, expectedSql, bindings, schema: context.schemaOf?.(testCase) }]
  })
  if (examples.length < diagnoses.length)
    return { plans: [], abstained: 'not all of its cases name the parameter' }
  const { parser, dialect } = context
  const { proposals, abstained } = proposeSnippets({ parser, dialect, metric, snippet, examples })
  const declaration: SlotEdit = {
    path: metric.path,
    entry: metric.id,
    action: 'set',
    slot: { kind: 'parameter', parameter: name },
    value: parameterValue(parameter),
  }
  const cases = diagnoses.map(({ evaluation }) => evaluation.testCase)
  const plans = proposals
    .filter(({ text }) => findPlaceholders(text).some((placeholder) => placeholder.name === name))
    .map((proposal): RepairPlan => {
      const title = `${metric.name}: parameter ${name} was missing`
      return {
        label,
        subject,
        title,
        reasoning: `the questions name a ${name}, which other metrics have as a parameter, and the expected queries follow it: the snippet ${proposal.explanation.join(', and ')}`,
        edits: [
          ...renderEdits([declaration], snapshot, context),
          ...rewriteQuery(snippet, proposal.text, snapshot, context),
        ],
        cases,
        goldExposed: true,
        size: proposal.changedTokens + JSON.stringify(declaration.value).length,
        signature: title,
        concerns: cases.length > 1 ? [] : [`only one case supports a parameter ${name} of ${metric.name}`],
      }
    })
  return plans.length > 0 ? { plans } : { plans, abstained: abstained ?? 'no plan uses the parameter' }
}

/**
 * Reports whether two questions name the parameter with different values: a single value may as well be
 * fixed.
 */
export function hasDistinctValues(found: readonly MissingParameter[]): boolean {
  const values = found.map(({ name, bindings }) =>
    bindings.filter(({ parameter }) => parameter === name).flatMap(bindingLiterals),
  )
  return new Set(values.map((each) => JSON.stringify(each))).size > 1
}
