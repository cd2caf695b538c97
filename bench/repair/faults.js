import { readText } from '../../build/modules/snapshot/snapshot.js'
import { metricFaults } from './metric-faults.js'
import { snippetFaults } from './snippet-faults.js'

export const classes = {
  1: 'stale table',
  2: 'stale column',
  3: 'sibling column',
  4: 'missing filter',
  5: 'wrong scope',
  6: 'wrong literal',
  7: 'logic',
  8: 'aggregation',
  9: 'NULL',
  10: 'join or key',
  11: 'fan-out',
  12: 'ratio',
  13: 'time column',
  14: 'boundary',
  15: 'unit',
  16: 'synonym',
  17: 'text',
  18: 'deprecated entry',
  19: 'hard-coded, default',
  20: 'value or metric',
}

/** How often a class was seen in the history of a public metric repository; the stress set beside it, once each. */
export const weights = {
  1: 6,
  2: 6,
  3: 8,
  4: 6,
  5: 2,
  6: 2,
  7: 3,
  8: 4,
  9: 3,
  10: 3,
  11: 1,
  12: 1,
  13: 1,
  14: 1,
  15: 1,
  16: 1,
  18: 1,
  19: 1,
  20: 1,
}

/** Every fault of every class in a knowledge base, at every place: `{class, name, metric, files}`. */
export function faultsIn({ kb, clean, tokenize, catalogue }) {
  const found = []
  const byMetric = new Map()
  for (const metric of kb.metrics) {
    const snippet = kb.snippets.get(metric.snippet)
    if (snippet === undefined) continue
    const texts = [...snippetFaults(snippet.text, tokenize(snippet.text), catalogue, hardCodes(metric))]
    byMetric.set(metric, texts.find((fault) => fault.class === 4 || fault.class === 1)?.text)
    for (const fault of texts)
      if (fault.text !== snippet.text)
        found.push({
          class: fault.class,
          name: `${snippet.name}: ${fault.what}`,
          metric: metric.name,
          files: { [snippet.path]: fault.text },
        })
  }
  for (const fault of metricFaults(
    kb,
    (path) => readText(clean, path),
    (metric) => byMetric.get(metric),
  ))
    found.push({ ...fault, metric: fault.name.split(':')[0] })
  return found
}

/** What an author might have written where a placeholder belongs. */
function hardCodes(metric) {
  const found = {}
  for (const [name, parameter] of metric.parameters) {
    if (parameter.type === 'enum')
      found[name] = [...parameter.values.keys()].slice(0, 2).map((code) => `'${code.replaceAll("'", "''")}'`)
    if (parameter.type === 'number') found[name] = ['5', '10']
    if (parameter.type === 'choice') found[name] = ["'all'"]
    if (parameter.type === 'date_range') {
      found[`${name}.start`] = ["DATE '2025-11-01'", "DATE '2025-10-01'"]
      found[`${name}.end`] = ["DATE '2025-11-30'"]
      found[`${name}.end_exclusive`] = ["DATE '2025-12-01'"]
      found[`${name}.days`] = ['30']
    }
  }
  return found
}

/** Two faults as one: of different files, or of different places in one file; undefined where they touch. */
export function pairOf(one, other, clean) {
  const files = { ...one.files }
  for (const [path, text] of Object.entries(other.files)) {
    const joined = path in files ? merged(readText(clean, path), files[path], text) : text
    if (joined === undefined) return undefined
    files[path] = joined
  }
  return { class: 'pair', name: `${one.name} + ${other.name}`, metric: one.metric, files }
}

function merged(before, one, other) {
  if (before === undefined || one === null || other === null) return undefined
  const [a, b] = [changeOf(before, one), changeOf(before, other)].sort((x, y) => x.start - y.start)
  if (a.end + 1 >= b.start) return undefined
  return before.slice(0, a.start) + a.text + before.slice(a.end, b.start) + b.text + before.slice(b.end)
}

function changeOf(before, after) {
  let start = 0
  while (start < before.length && before[start] === after[start]) start++
  let tail = 0
  const most = Math.min(before.length, after.length) - start
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  return { start, end: before.length - tail, text: after.slice(start, after.length - tail) }
}
