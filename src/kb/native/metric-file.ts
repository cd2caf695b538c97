import type { Position, Problem } from '../../snapshot/file-problem.js'
import { checkSchema } from '../../snapshot/validate-schema.js'
import { readYaml, type YamlFile } from '../../snapshot/yaml.js'
import type { KbProblem, Metric } from '../entry.js'
import { lenientMetric, type MetricDefinition, strictMetric } from './metric-schema.js'

/** One metric file, before its references are resolved. */
export interface MetricFile {
  readonly path: string
  /** Name after the file if that contains none. */
  readonly name: string
  /** As far as they can be read, even from a broken file. */
  readonly aliases: readonly string[]
  /** The snippet that it names; undefined if a broken file does not show it. */
  readonly snippet: string | undefined
  /** Undefined if the file cannot be used. */
  readonly metric: Metric | undefined
  readonly problems: readonly KbProblem[]
  /** Returns the position of a key; parses the file again, so it is only for problems. */
  readonly locate: (path: readonly (string | number)[]) => Position
}

/** Reads one metric file; never throws because of its content. */
export function readMetricFile(bytes: Uint8Array, path: string): MetricFile {
  const locate = locator(bytes, path)
  const outcome = readYaml(bytes, path)
  if (outcome.kind === 'problem') {
    const salvaged = salvageText(new TextDecoder().decode(bytes), path)
    return {
      path,
      ...salvaged,
      metric: undefined,
      problems: asErrors([outcome.problem], salvaged.name),
      locate,
    }
  }
  const listed = listedMetrics(outcome.file)
  if (listed.length > 0) return severalMetrics(listed, path, locate)
  const strict = checkSchema(strictMetric, outcome.file)
  if (strict.kind === 'valid') return usableMetric(strict.value, path, [], locate)
  const lenient = checkSchema(lenientMetric, outcome.file)
  if (lenient.kind === 'valid') return usableMetric(lenient.value, path, strict.problems, locate)
  const salvaged = salvageData(outcome.file, path)
  return { path, ...salvaged, metric: undefined, problems: asErrors(strict.problems, salvaged.name), locate }
}

/**
 * Returns the items of a file that lists several metrics: `- metric: …`, with or without `metrics:` above;
 * none if it is not a list.
 */
function listedMetrics({ data }: YamlFile): readonly object[] {
  const list: unknown = Array.isArray(data) ? data : fieldsOf(data)['metrics']
  return Array.isArray(list) ? list.filter((item) => 'metric' in fieldsOf(item)) : []
}

/** Describes a file with a list: it is broken, but known by the words of all its items. */
function severalMetrics(listed: readonly object[], path: string, locate: MetricFile['locate']): MetricFile {
  const words = listed.flatMap((item) => stringsIn(fieldsOf(item)['aliases']))
  const known = salvaged(undefined, words, undefined, path)
  const problem: Problem = {
    file: path,
    line: 1,
    column: 1,
    message: `file lists ${listed.length === 1 ? 'a metric' : `${listed.length} metrics`} but must be one metric`,
    hint: 'Put each metric into its own file, with its keys at the start of the line.',
  }
  return { path, ...known, metric: undefined, problems: asErrors([problem], known.name), locate }
}

/**
 * Returns a function that finds positions by parsing again, once: the syntax tree is not kept, as it takes 40
 * times the file's size.
 */
function locator(bytes: Uint8Array, path: string): MetricFile['locate'] {
  const known = new Map<string, Position>()
  return (at) => {
    const key = JSON.stringify(at)
    const outcome = known.has(key) ? undefined : readYaml(bytes, path)
    if (outcome?.kind === 'read') known.set(key, outcome.file.locate(at))
    return known.get(key) ?? { line: 1, column: 1 }
  }
}

function usableMetric(
  definition: MetricDefinition,
  path: string,
  warnings: readonly Problem[],
  locate: MetricFile['locate'],
): MetricFile {
  const { metric: name, title, aliases, snippet, parameters } = definition
  const metric = { id: metricId(name), name, title: title ?? name, aliases, snippet, parameters, path }
  const problems = warnings.map((problem) => asKbProblem(problem, 'warning', undefined))
  return { path, name, aliases, snippet, metric, problems, locate }
}

export function metricId(name: string): string {
  return `metric:${name}`
}

function asErrors(problems: readonly Problem[], name: string): KbProblem[] {
  return problems.map((problem) => asKbProblem(problem, 'error', metricId(name)))
}

function asKbProblem(
  problem: Problem,
  severity: KbProblem['severity'],
  entry: string | undefined,
): KbProblem {
  const { file, line, column, message, hint } = problem
  return { severity, path: file, line, column, message, hint, entry }
}

interface Salvaged {
  readonly name: string
  readonly aliases: readonly string[]
  readonly snippet: string | undefined
}

/** Salvages name, aliases and snippet from a file that is YAML but no metric. */
function salvageData({ data }: YamlFile, path: string): Salvaged {
  const { metric: name, aliases, snippet } = fieldsOf(data)
  return salvaged(
    typeof name === 'string' ? name : undefined,
    stringsIn(aliases),
    typeof snippet === 'string' ? snippet : undefined,
    path,
  )
}

function fieldsOf(data: unknown): { readonly [key: string]: unknown } {
  return typeof data === 'object' && data !== null ? { ...data } : {}
}

function stringsIn(words: unknown): string[] {
  return (Array.isArray(words) ? words : [words]).filter((word) => typeof word === 'string')
}

/** Salvages name, aliases and snippet from the lines of a file that is not YAML. */
function salvageText(text: string, path: string): Salvaged {
  const name = /^metric:[ \t]*(.*)$/m.exec(text)?.[1]
  const snippet = /^snippet:[ \t]*(.*)$/m.exec(text)?.[1]
  const inline = /^aliases:[ \t]*\[([^\]\n]*(?:\n[ \t]+[^\]\n]*)*)/m.exec(text)?.[1]?.split(',')
  const block = /^aliases:[ \t]*\r?\n((?:[ \t]*-[ \t].*\r?\n?)*)/m.exec(text)?.[1]?.split('\n')
  const words = (inline ?? block ?? []).map((word) => unquoted(word.replace(/^[ \t]*-[ \t]/, '')))
  return salvaged(name && unquoted(name), words, snippet && unquoted(snippet), path)
}

/** Names a file without any words after itself: `refund_rate.yaml` is known by "refund rate". */
function salvaged(
  name: string | undefined,
  words: readonly string[],
  snippet: string | undefined,
  path: string,
): Salvaged {
  const stem = path.slice(path.lastIndexOf('/') + 1).replace(/\.ya?ml$/i, '')
  const aliases = words.filter((word) => word.trim() !== '')
  return {
    name: name === undefined || name.trim() === '' ? stem : name,
    aliases: aliases.length > 0 ? aliases : [stem.replaceAll(/[_-]+/g, ' ')],
    snippet,
  }
}

/** Returns a scalar without its quotes and the comment after it. */
function unquoted(text: string): string {
  const scalar = text.trim()
  const [quoted] = /^(?:"[^"]*"|'[^']*')/.exec(scalar) ?? []
  return (quoted ?? scalar.replace(/(?:^|\s)#.*$/, '')).trim().replaceAll(/^['"]|['"]$/g, '')
}
