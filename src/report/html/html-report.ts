import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { packageRoot } from '../../platform/built-module.js'
import type { RunDetail } from '../../store/record-types.js'
import { unprintable } from '../../text/unprintable.js'
import { formatDuration, sanitizeLine } from '../format-text.js'
import { describeAgent, describeHonestShare } from '../own-agent.js'
import { summarize } from '../summary.js'
import { pageDataOf, type RunHistory } from './page-data.js'

/**
 * Renders the report as one page that needs nothing else: its program and style are inside, and its policy lets it load
 * nothing. The data are compressed JSON, which the page itself reads; what it shows at once is in the page as text.
 */
export function htmlReport(detail: RunDetail, history: RunHistory): string {
  const program = asset('page.js')
  const style = asset('page.css')
  const data = gzipSync(JSON.stringify(pageDataOf(detail, history), shown), { level: 9 }).toString('base64')
  const policy = `default-src 'none'; script-src '${hashOf(program)}'; style-src '${hashOf(style)}'; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>autotest ${escapeHtml(detail.run.id)}</title>
<style>${style}</style>
</head>
<body>
<main id="page">
${headOf(detail)}
<p id="loading">Reading ${detail.cases.length} cases …</p>
<noscript><p>This page shows its cases by a script that it holds; scripts are turned off here.</p></noscript>
</main>
<script id="data" type="application/gzip">${data}</script>
<script>${program}</script>
</body>
</html>
`
}

/** Replaces what is invisible, or changes how others are shown, in a text of the page; line ends and tabs stay. */
function shown(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value.replace(unprintable, (run) =>
    run.replaceAll(/[^\n\t]+/gu, (hidden) => (/^\r+$/.test(hidden) ? '' : '\uFFFD')),
  )
}

/** What is seen before the data are read. */
function headOf(detail: RunDetail): string {
  const { run } = detail
  const { total, passed, repaired, failed, unproven, errored, ms } = summarize(detail)
  const counts = { total, passed, repaired, failed, unproven, [errored === 1 ? 'error' : 'errors']: errored }
  const started = run.startedAt.slice(0, 16).replace('T', ' ')
  const facts = [
    started,
    run.engine,
    describeAgent(run).replace(/^agent /, ''),
    ...describeHonestShare(detail),
    formatDuration(ms),
  ].map(sanitizeLine)
  return `<header><h1>autotest ${escapeHtml(run.id)}</h1><p class="facts">${facts.map(escapeHtml).join(' · ')}</p></header>
<ul class="counts">${Object.entries(counts)
    .map(([name, count]) => `<li><b>${count}</b> ${name}</li>`)
    .join('')}</ul>`
}

function asset(name: string): string {
  return readFileSync(`${packageRoot}dist/report/${name}`, 'utf8').trim()
}

/** Of the text between the tags, as browsers compute it (w3.org/TR/CSP3/#match-element-to-source-list). */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
