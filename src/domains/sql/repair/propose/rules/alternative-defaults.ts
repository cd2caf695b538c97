import type { Metric, Parameter, Snippet } from '../../../../../kb/entry.js'
import type { Binding, BoundValue } from '../../../../../kb/question-interpretation.js'
import { findPlaceholders } from '../../../../../kb/render-snippet.js'
import type { SqlToken } from '../../../../../sql/index.js'
import { defaultChange } from '../../diagnose/metadata-changes/default-changes.js'
import type { MetadataChange } from '../../diagnose/metadata-changes/metadata-change.js'
import { tokenKey } from '../../model/question-values.js'
import { type RepairContext, tokensOf } from '../../model/repair-context.js'
import type { Example } from './snippet-proposals.js'

export interface AlternativeDefault {
  readonly change: Omit<MetadataChange, 'reasoning'>
  /** The examples with the bindings of that default. */
  readonly examples: readonly Example[]
}

/** How many defaults are tried for one metric. */
const maxDefaults = 6

/**
 * Returns other defaults with which the expected queries of questions that do not name the parameter may have
 * been written: the metric lists the value, and it occurs in each of these queries.
 */
export function findAlternativeDefaults(
  metric: Metric,
  snippet: Snippet,
  examples: readonly Example[],
  context: RepairContext,
): AlternativeDefault[] {
  const used = new Set(findPlaceholders(snippet.text).map(({ name }) => name))
  const tokens = (sql: string): readonly SqlToken[] => tokensOf(sql, context.dialect, context.parser)
  const known = new Set(tokens(snippet.text).map(tokenKey))
  const found = [...metric.parameters].flatMap(([name, parameter]): AlternativeDefault[] => {
    if (parameter.type === 'date_range' || parameter.default === undefined || !used.has(name)) return []
    const silent = examples.filter(({ bindings }) => usesDefault(bindings, name))
    const [first, ...others] = silent.map(({ expectedSql }) => tokens(expectedSql))
    if (first === undefined) return []
    return valuesIn(first, parameter, tokens)
      .filter(
        ({ value, keys }) =>
          value !== parameter.default && others.every((query) => containsSequence(query, keys)),
      )
      .sort((a, b) => Number(isKnown(a.keys, known)) - Number(isKnown(b.keys, known)))
      .map(({ value, bound }) => ({
        change: defaultChange(metric, name, parameter, value),
        examples: examples.map((example) => withDefault(example, name, bound)),
      }))
  })
  return found.slice(0, maxDefaults)
}

/** Reports whether the question leaves the parameter to its default. */
function usesDefault(bindings: readonly Binding[], name: string): boolean {
  return bindings.some(({ parameter, span }) => parameter === name && span === undefined)
}

function withDefault(example: Example, name: string, value: BoundValue): Example {
  const bindings = example.bindings.map((binding) =>
    binding.parameter === name && binding.span === undefined ? { ...binding, value } : binding,
  )
  return { ...example, bindings }
}

interface Candidate {
  readonly value: string | number
  readonly bound: BoundValue
  readonly keys: readonly string[]
}

/** Returns possible values of the parameter that occur in the query. */
function valuesIn(
  query: readonly SqlToken[],
  parameter: Exclude<Parameter, { type: 'date_range' }>,
  tokens: (sql: string) => readonly SqlToken[],
): Candidate[] {
  switch (parameter.type) {
    case 'number': {
      const texts = new Set(query.flatMap(({ kind, value }) => (kind === 'number' ? [value] : [])))
      return [...texts].map((text) => {
        const value = Number(text)
        return { value, bound: { kind: 'number', value }, keys: [text] }
      })
    }
    case 'enum':
      return [...parameter.values.keys()].flatMap((code): Candidate[] => {
        const keys = [`'${code}`]
        return containsSequence(query, keys) ? [{ value: code, bound: { kind: 'enum', code }, keys }] : []
      })
    case 'choice':
      return [...parameter.values].flatMap(([name, { sql }]): Candidate[] => {
        const keys = tokens(sql).map(tokenKey)
        return containsSequence(query, keys)
          ? [{ value: name, bound: { kind: 'choice', name, sql }, keys }]
          : []
      })
  }
}

function containsSequence(query: readonly SqlToken[], keys: readonly string[]): boolean {
  return query.some((_, index) => keys.every((key, offset) => keyAt(query, index + offset) === key))
}

function keyAt(query: readonly SqlToken[], index: number): string | undefined {
  const token = query[index]
  return token && tokenKey(token)
}

/** Reports whether the snippet has the value already: then it is weaker evidence for the default. */
function isKnown(keys: readonly string[], known: ReadonlySet<string>): boolean {
  return keys.every((key) => known.has(key))
}
