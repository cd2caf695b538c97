import { readText, withFiles } from '../../build/modules/snapshot/snapshot.js'

/** The sample's knowledge base and cases, again and again under words of their own: 400 metrics, 400 cases. */
export function scaled({ kb, clean, benchmark }, size) {
  const files = new Map()
  const cases = [...benchmark]
  const aliases = [...kb.metrics.flatMap((metric) => metric.aliases)].sort((a, b) => b.length - a.length)
  const bytes = (text) => new TextEncoder().encode(text)
  let metrics = kb.metrics.length
  for (let unit = 1; metrics < size || cases.length < size; unit++) {
    for (const metric of kb.metrics.slice(0, Math.max(0, size - metrics))) {
      const text = readText(clean, metric.path)
      const snippet = kb.snippets.get(metric.snippet)
      const words = metric.aliases.map((alias) => `${alias} unit${unit}`)
      const copy = text
        .replace(/^metric:.*$/m, `metric: ${metric.name}_${unit}`)
        .replace(/^aliases:(?: \[.*\]|\n(?: +- .*\n)+)/m, `aliases: [${words.join(', ')}]\n`)
        .replace(/^snippet:.*$/m, `snippet: ${metric.name}_${unit}.sql`)
      files.set(metric.path.replace(/\.yaml$/, `_${unit}.yaml`), bytes(copy))
      files.set(snippet.path.replace(/\.sql$/, `_${unit}.sql`), bytes(snippet.text))
    }
    metrics += kb.metrics.length
    for (const testCase of benchmark.slice(0, Math.max(0, size - cases.length))) {
      const alias = aliases.find((word) => testCase.question.toLowerCase().includes(word.toLowerCase()))
      const at = testCase.question.toLowerCase().indexOf(alias.toLowerCase()) + alias.length
      const question = `${testCase.question.slice(0, at)} unit${unit}${testCase.question.slice(at)}`
      cases.push({ ...testCase, id: `${testCase.id}_${unit}`, question })
    }
  }
  return { clean: withFiles(clean, files), cases }
}
