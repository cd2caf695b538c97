import { it } from 'vitest'
import { canonicalForm } from '../../../src/sql/canonical.js'
import { loadSqlParser } from '../../../src/sql/parser.js'
import { proposeSnippets } from '../../../src/repair/propose/snippet.js'
import { breakSnippet, faultySnippets } from './faulty-snippets.js'
import { changedLines, december, exampleOf, metricOf, november, october, render, snippetOf } from './setting.js'

const hardQ = <T,>(f: { kind: string; broken: string }, d: T, n: T): T => (f.kind === 'hard-coded parameter' && !f.broken.includes("'TH'") ? d : n)
it('measure', async () => {
  const parser = await loadSqlParser()
  const dialect = 'duckdb' as const
  const restyle = (sql: string): string => {
    const o = parser.transpile(sql, dialect, dialect)
    return o.kind === 'sql' ? o.sql : sql
  }
  for (const styled of [undefined, restyle]) for (const two of [false, true]) {
    const stats = new Map<string, { n: number; ok: number; lines: number; general: number; none: number }>()
    let total = 0, slow = 0
    for (const s of faultySnippets) for (const f of s.faults) {
      const broken = breakSnippet(s.text, f)
      const first = hardQ(f, december, november)
      const examples = [exampleOf(s.text, first, styled), ...(two ? [exampleOf(s.text, october, styled)] : [])]
      const t = performance.now()
      const r = proposeSnippets({ parser, dialect, metric: metricOf(s.name), snippet: snippetOf(s.name, broken), examples })
      const ms = performance.now() - t
      total += ms; slow = Math.max(slow, ms)
      const st = stats.get(f.kind) ?? { n: 0, ok: 0, lines: 0, general: 0, none: 0 }
      stats.set(f.kind, st); st.n++
      const best = r.proposals[0]
      if (!best) { st.none++; console.log('NONE', s.name, f.kind, JSON.stringify(f.good), '->', JSON.stringify(f.broken), r.abstained, ms.toFixed(0)); continue }
      st.ok++
      const own = changedLines(s.text, broken), ours = changedLines(broken, best.text)
      if (ours <= own) st.lines++
      else console.log('LINES', s.name, f.kind, ours, '>', own, JSON.stringify(f.good), '\n' + best.text)
      const other = [november, december, october].every((q) => canonicalForm(parser, render(best.text, q), dialect) === canonicalForm(parser, render(s.text, q), dialect))
      if (other) st.general++
      else console.log('WRONG', s.name, f.kind, JSON.stringify(f.good), best.title, '\n' + best.text)
      if (process.env['SHOW']) console.log(best.title, '|', best.explanation.join('; '), best.changedTokens, ms.toFixed(0) + 'ms')
    }
    console.log('styled', !!styled, 'two', two, 'ms total', total.toFixed(0), 'max', slow.toFixed(0))
    console.table(Object.fromEntries(stats))
  }
}, 600000)
