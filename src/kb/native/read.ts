import type { Snapshot } from '../../snapshot/snapshot.js'
import type { BrokenMetric, KbProblem, KnowledgeBase, Metric, Note, Snippet } from '../entry.js'
import { checkSnippet, suggestHint, unusedParameters } from '../snippet-check.js'
import { foldWords } from '../words/fold-words.js'
import { type MetricFile, metricId, readMetricFile } from './metric-file.js'

// Snapshots derived from one another share the bytes of unchanged files: those are parsed once.
const metricFiles = new WeakMap<Uint8Array, MetricFile>()
const snippets = new WeakMap<Uint8Array, Snippet>()
const snippetChecks = new WeakMap<
  Metric,
  { readonly snippet: Snippet; readonly problems: readonly KbProblem[] }
>()

/**
 * Reads the knowledge base in a folder of the snapshot; a file that cannot be used becomes a problem with its
 * position.
 */
export function readNative(snapshot: Snapshot, folder: string): KnowledgeBase {
  const root = folder.replace(/^\.\/|\/+$/g, '').replace(/^\.?$/, '')
  const below = (kind: string) => (root === '' ? `${kind}/` : `${root}/${kind}/`)
  const problems: KbProblem[] = []
  const files: MetricFile[] = []
  const found = new Map<string, Snippet>()
  const notes: Note[] = []
  for (const [path, bytes] of snapshot.files) {
    if (path.startsWith(below('metrics')) && /\.ya?ml$/i.test(path)) files.push(metricFile(bytes, path))
    else if (path.startsWith(below('snippets')) && /\.sql$/i.test(path)) {
      const snippet = snippetOf(bytes, path, path.slice(below('snippets').length))
      if (typeof snippet === 'string') problems.push(fileProblem(path, snippet))
      else found.set(snippet.name, snippet)
    } else if (path.startsWith(below('notes')) && /\.md$/i.test(path)) {
      const text = new TextDecoder().decode(bytes)
      notes.push({ id: `note:${path.slice(below('notes').length)}`, text, path })
    } else if (root !== '' && path.startsWith(`${root}/`))
      problems.push(...misplacedFileProblems(bytes, path, below))
  }
  const { metrics, broken } = usableMetrics(files, found, below('snippets'), problems)
  problems.push(...sharedAliases(files, metrics))
  return { metrics, broken, snippets: found, notes, problems: problems.sort(byPlace) }
}

function usableMetrics(
  files: readonly MetricFile[],
  found: ReadonlyMap<string, Snippet>,
  snippetFolder: string,
  problems: KbProblem[],
): { readonly metrics: Metric[]; readonly broken: BrokenMetric[] } {
  const metrics: Metric[] = []
  const broken: BrokenMetric[] = []
  const first = new Map<string, string>()
  for (const file of files) {
    const { metric, name, aliases, snippet } = file
    const own = [...file.problems]
    const other = first.get(name)
    if (other === undefined) first.set(name, file.path)
    else own.push(duplicate(file, other))
    if (metric !== undefined) own.push(...referenceProblems(file, metric, found, snippetFolder))
    problems.push(...own)
    const fatal = own.find(({ severity }) => severity === 'error')
    if (fatal === undefined && metric !== undefined) metrics.push(metric)
    else if (fatal !== undefined)
      broken.push({ id: metricId(name), name, aliases, snippet, problem: fatal, metric })
  }
  return { metrics, broken }
}

function referenceProblems(
  file: MetricFile,
  metric: Metric,
  found: ReadonlyMap<string, Snippet>,
  snippetFolder: string,
): KbProblem[] {
  const snippet = found.get(metric.snippet)
  const at = (path: readonly string[]) => ({ path: file.path, ...file.locate(path) })
  if (snippet === undefined) {
    const message = `snippet \`${metric.snippet}\` does not exist or is not readable`
    const hint = suggestHint(metric.snippet, found.keys(), `Create ${snippetFolder}${metric.snippet}.`)
    return [{ severity: 'error', ...at(['snippet']), message, hint, entry: metric.id }]
  }
  if (snippet.text.trim() === '') {
    const hint = `Write the query of metric ${metric.name} into it.`
    const place = { path: snippet.path, line: 1, column: 1 }
    return [{ severity: 'warning', ...place, message: 'the snippet is empty', hint, entry: metric.id }]
  }
  const checked = snippetChecks.get(metric)
  if (checked?.snippet === snippet) return [...checked.problems]
  const faults = checkSnippet(snippet, metric)
  const unused = faults.length > 0 ? [] : unusedParameters(snippet, metric)
  const warnings = unused.map((name): KbProblem => {
    const message = `parameter \`${name}\` has no placeholder in ${snippet.path}`
    const isPeriod = metric.parameters.get(name)?.type === 'date_range'
    const hint = `Use {{ ${isPeriod ? `${name}.start` : name} }} there, or remove the parameter.`
    return { severity: 'warning', ...at(['parameters', name]), message, hint, entry: metric.id }
  })
  const problems = [...faults, ...warnings]
  snippetChecks.set(metric, { snippet, problems })
  return problems
}

function duplicate(file: MetricFile, other: string): KbProblem {
  const message = `metric \`${file.name}\` is defined twice: also in ${other}`
  const place = { path: file.path, ...file.locate(['metric']) }
  return { severity: 'error', ...place, message, hint: 'Rename one of the two.', entry: metricId(file.name) }
}

/** Reports aliases shared by metrics: they make every question that contains them ambiguous. */
function sharedAliases(files: readonly MetricFile[], metrics: readonly Metric[]): KbProblem[] {
  const usable = new Set(metrics)
  const owners = new Map<string, Metric>()
  return files.flatMap(({ metric, locate }) => {
    if (metric === undefined || !usable.has(metric)) return []
    return metric.aliases.flatMap((alias, index): KbProblem[] => {
      const folded = foldWords(alias)
      const owner = owners.get(folded)
      if (owner === undefined || owner === metric) {
        owners.set(folded, metric)
        return []
      }
      const message = `alias "${alias}" also means metric ${owner.name} (${owner.path})`
      const place = { path: metric.path, ...locate(['aliases', index]) }
      return [
        { severity: 'warning', ...place, message, hint: 'Keep it in one of the two.', entry: metric.id },
      ]
    })
  })
}

function metricFile(bytes: Uint8Array, path: string): MetricFile {
  const known = metricFiles.get(bytes)
  if (known?.path === path) return known
  const file = readMetricFile(bytes, path)
  metricFiles.set(bytes, file)
  return file
}

/**
 * Returns the snippet, or why the file cannot be read. Its text keeps a byte order mark, so that edits stay
 * exact.
 */
function snippetOf(bytes: Uint8Array, path: string, name: string): Snippet | string {
  const known = snippets.get(bytes)
  if (known?.path === path && known.name === name) return known
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return 'file is not UTF-8'
  }
  const snippet = { id: `snippet:${name}`, name, text, path }
  snippets.set(bytes, snippet)
  return snippet
}

/**
 * Reports metrics and snippets in a folder where nothing reads them; other files there belong to the user.
 */
function misplacedFileProblems(
  bytes: Uint8Array,
  path: string,
  below: (kind: string) => string,
): KbProblem[] {
  const kind = /\.ya?ml$/i.test(path) ? 'metrics' : /\.sql$/i.test(path) ? 'snippets' : undefined
  if (kind === undefined) return []
  const mark = kind === 'metrics' ? /^[ \t-]*metric:/m : /\{\{/
  if (!mark.test(new TextDecoder().decode(bytes))) return []
  const hint = `Move it to ${below(kind)}.`
  return [{ severity: 'warning', path, line: 1, column: 1, message: 'file is ignored in this folder', hint }]
}

function fileProblem(path: string, message: string): KbProblem {
  return { severity: 'error', path, line: 1, column: 1, message, hint: 'Save it as UTF-8.' }
}

function byPlace(a: KbProblem, b: KbProblem): number {
  return a.path === b.path ? a.line - b.line || a.column - b.column : a.path < b.path ? -1 : 1
}
