import type { KnowledgeBase, Metric, Parameter } from '../../../../kb/entry.js'
import { findPeriods } from '../../../../kb/find-periods.js'
import { findParameterValues } from '../../../../kb/parameter-values.js'
import type { Binding, Span } from '../../../../kb/question-interpretation.js'
import { leftoverSpans } from '../../../../kb/words/content-words.js'
import { tokenize } from '../../../../kb/words/tokens.js'

/** The meaning of a question that no metric answers, read with the parameters of other metrics. */
export interface ParameterReading {
  /** Values of the parameters that the question names. */
  readonly bindings: readonly Binding[]
  readonly parameters: ReadonlyMap<string, Parameter>
  /** Content words that are not part of a value. */
  readonly leftovers: readonly Span[]
}

const declared = new WeakMap<KnowledgeBase, ReadonlyMap<string, Parameter>>()

/**
 * Reads a question with the parameters that metrics have in common; undefined if a value is ambiguous.
 * Choices are left out: their expressions belong to one metric.
 */
export function readCommonParameters(
  question: string,
  kb: KnowledgeBase,
  asOf: string,
): ParameterReading | undefined {
  const parameters = declared.get(kb) ?? commonParameters(kb)
  declared.set(kb, parameters)
  const metric: Metric = { id: '', name: '', title: '', aliases: [], snippet: '', path: '', parameters }
  const tokens = tokenize(question)
  const found = findParameterValues(question, tokens, metric, findPeriods(question, asOf), [])
  if (found.ambiguities.length > 0) return undefined
  const bindings = found.bindings.filter(({ span }) => span !== undefined)
  const named = new Set(bindings.map(({ parameter }) => parameter))
  return {
    bindings,
    parameters: new Map([...parameters].filter(([name]) => named.has(name))),
    leftovers: leftoverSpans(question, found.consumed),
  }
}

/** Returns each parameter as most metrics declare it, without defaults; always includes a period. */
function commonParameters(kb: KnowledgeBase): ReadonlyMap<string, Parameter> {
  const counts = new Map<string, Map<string, { parameter: Parameter; count: number }>>()
  for (const [name, parameter] of kb.metrics.flatMap((metric) => [...metric.parameters])) {
    if (parameter.type === 'choice') continue
    const key = JSON.stringify(parameter.type === 'enum' ? [...parameter.values] : parameter)
    const forms = counts.get(name) ?? new Map()
    forms.set(key, { parameter, count: (forms.get(key)?.count ?? 0) + 1 })
    counts.set(name, forms)
  }
  const usual = [...counts].flatMap(([name, forms]): [string, Parameter][] => {
    const [first] = [...forms.values()].sort((a, b) => b.count - a.count)
    return first === undefined ? [] : [[name, withoutDefault(first.parameter)]]
  })
  const hasPeriod = usual.some(([, { type }]) => type === 'date_range')
  return new Map(hasPeriod ? usual : [...usual, ['period', { type: 'date_range' }]])
}

function withoutDefault(parameter: Parameter): Parameter {
  return parameter.type === 'date_range' ? parameter : { ...parameter, default: undefined }
}
