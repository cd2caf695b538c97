import { stat } from 'node:fs/promises'
import { messageOf } from '../errors.js'
import { readRegularFile } from '../platform/read-regular-file.js'
import { type Problem, problemsError } from '../snapshot/file-problem.js'
import { pointerFile } from '../snapshot/pointer-file.js'
import { checkSchema } from '../snapshot/validate-schema.js'
import { readYaml, type YamlFile } from '../snapshot/yaml.js'
import type { Benchmark, BenchmarkCase, SqlCase } from './case.js'
import type { CaseKind } from './case-kind.js'
import { displayPath, findBenchmarkFiles } from './file-discovery.js'
import { filterCases } from './filter.js'
import { type BenchmarkFile, benchmarkFile } from './schema.js'
import { sqlCaseKind } from './sql-case-kind.js'

export interface LoadBenchmarkOptions {
  /** Files, folders and globs, relative to `cwd`. */
  readonly paths: readonly string[]
  /** Cases with any of these tags; all if absent or empty. */
  readonly tags?: readonly string[] | undefined
  /** Cases with these ids, all of which must exist. */
  readonly ids?: readonly string[] | undefined
  /** Absolute path. */
  readonly cwd: string
}

const maxBytes = 64_000_000

/** At least one; rows of several kinds are distinguished by their `kind`. */
export type CaseKinds<C extends BenchmarkCase> = readonly [CaseKind<C>, ...CaseKind<C>[]]

const sqlOnly: CaseKinds<SqlCase> = [sqlCaseKind]

/** Reads and checks benchmark files of text-to-SQL cases, as `loadCases` does. */
export function loadBenchmark(options: LoadBenchmarkOptions): Promise<Benchmark> {
  return loadCases(options, sqlOnly)
}

/**
 * Reads and checks benchmark files with cases of these kinds. Throws `benchmark_missing` for a path without
 * any file, `benchmark_invalid` with every problem of every file, `no_case_matched` if the filter excludes
 * all cases.
 */
export async function loadCases<C extends BenchmarkCase>(
  options: LoadBenchmarkOptions,
  kinds: CaseKinds<C>,
): Promise<Benchmark<C>> {
  const paths = await findBenchmarkFiles(options.paths, options.cwd)
  const problems: Problem[] = []
  const cases: C[] = []
  const files: string[] = []
  for (const path of paths) {
    const file = displayPath(path, options.cwd)
    files.push(file)
    const outcome = await readCases(path, file, kinds)
    if (outcome.kind === 'cases') cases.push(...outcome.cases)
    else problems.push(...outcome.problems)
  }
  problems.push(...duplicateIds(cases))
  if (problems.length > 0) throw problemsError('benchmark_invalid', problems)
  return { cases: filterCases(cases, { tags: options.tags, ids: options.ids }), files }
}

export type FileOutcome<C extends BenchmarkCase = SqlCase> =
  | { readonly kind: 'cases'; readonly cases: readonly C[] }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] }

async function readCases<C extends BenchmarkCase>(
  path: string,
  file: string,
  kinds: CaseKinds<C>,
): Promise<FileOutcome<C>> {
  const bytes = await readBytes(path)
  const whole = { file, line: 1, column: 1 }
  if (typeof bytes === 'string') return { kind: 'problems', problems: [{ ...whole, message: bytes }] }
  const pointer = pointerFile(bytes, file)
  if (pointer === undefined) return parseRows(bytes, file, kinds)
  const { message, command } = pointer
  return { kind: 'problems', problems: [{ ...whole, message, hint: `Run: ${command}` }] }
}

/** Returns the text-to-SQL cases of one benchmark file, or its problems. */
export function parseCases(bytes: Uint8Array, file: string): FileOutcome {
  return parseRows(bytes, file, sqlOnly)
}

function parseRows<C extends BenchmarkCase>(
  bytes: Uint8Array,
  file: string,
  kinds: CaseKinds<C>,
): FileOutcome<C> {
  const read = readYaml(bytes, file, { maxBytes })
  if (read.kind === 'problem') return { kind: 'problems', problems: [read.problem] }
  if (read.file.data === null) {
    const hint = 'Add `cases:` with a list of cases, or remove the file.'
    return { kind: 'problems', problems: [{ file, line: 1, column: 1, message: 'file is empty', hint }] }
  }
  const yaml = withTextIds(read.file)
  const checked = checkSchema(benchmarkFile(kinds), yaml)
  return checked.kind === 'problems' ? checked : { kind: 'cases', cases: casesOf(checked.value, yaml) }
}

/** Returns the bytes, or why they cannot be read. */
async function readBytes(path: string): Promise<Uint8Array | string> {
  try {
    const { size } = await stat(path)
    return size > maxBytes ? `file is larger than ${maxBytes / 1e6} MB` : await readRegularFile(path)
  } catch (error) {
    return `cannot be read: ${messageOf(error)}`
  }
}

/** Keeps numbers used as ids and tags as written: `1.10` is not 1.1, and no digit of a long one is lost. */
function withTextIds(yaml: YamlFile): YamlFile {
  const { data } = yaml
  if (!isRecord(data) || !Array.isArray(data['cases'])) return yaml
  const cases = data['cases'].map((item: unknown, index) => {
    if (!isRecord(item)) return item
    const text = (value: unknown, ...path: (string | number)[]) =>
      typeof value === 'number' || typeof value === 'bigint'
        ? yaml.sourceOf(['cases', index, ...path])
        : value
    const id = 'id' in item ? { id: text(item['id'], 'id') } : {}
    const tags = Array.isArray(item['tags'])
      ? { tags: item['tags'].map((tag, at) => text(tag, 'tags', at)) }
      : {}
    return { ...item, ...id, ...tags }
  })
  return { ...yaml, data: { ...data, cases } }
}

function casesOf<C extends BenchmarkCase>(parsed: BenchmarkFile<C>, yaml: YamlFile): C[] {
  const { file } = yaml
  return parsed.cases.map((toCase, index) =>
    toCase(parsed, (...path) => ({ file, ...yaml.locate(['cases', index, ...path]) })),
  )
}

function duplicateIds(cases: readonly BenchmarkCase[]): Problem[] {
  const first = new Map<string, BenchmarkCase>()
  const problems: Problem[] = []
  for (const item of cases) {
    const other = first.get(item.id)
    if (other === undefined) first.set(item.id, item)
    else {
      const { file, line } = other.location
      problems.push({
        ...item.location,
        message: `case \`${item.id}\` already exists at ${file}:${line}`,
        hint: 'Give each case a unique id.',
      })
    }
  }
  return problems
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
