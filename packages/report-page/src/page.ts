import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { PageData } from '../../../src/report/html/page-data.js'
import { CaseItem, type PageCase } from './case-item.js'
import { html } from './html.js'
import { Repairs } from './repairs.js'
import { Trend } from './trend.js'

/** How many cases are added to the list at a time. */
const portion = 100

type Filter = 'all' | 'review' | 'changed' | PageCase['outcome']

/** Which filters there are, in the order shown, with their names. */
const filters: readonly (readonly [Filter, string])[] = [
  ['all', 'All'],
  ['review', 'Needs review'],
  ['passed', 'Passed'],
  ['repaired', 'Repaired'],
  ['pending', 'Pending'],
  ['failed', 'Failed'],
  ['unproven', 'Unproven'],
  ['errored', 'Errors'],
  ['skipped', 'Skipped'],
  ['changed', 'Other than before'],
]

const reviewed = new Set<string>(['failed', 'unproven', 'errored', 'pending'])

function isShown(record: PageCase, filter: Filter): boolean {
  if (filter === 'all') return true
  if (filter === 'review') return reviewed.has(record.outcome ?? '')
  if (filter === 'changed') return record.before !== undefined || record.isNew === true
  return record.outcome === filter
}

/** What a search looks at, in lower case. */
function searchText(record: PageCase): string {
  return [
    record.id,
    record.question,
    record.file,
    record.cause,
    record.reason,
    ...(record.tags ?? []),
    record.sql,
  ]
    .join('\n')
    .toLowerCase()
}

export function Page({ data }: { data: PageData }) {
  const { cases } = data
  const counts = useMemo(
    () =>
      new Map(filters.map(([filter]) => [filter, cases.filter((record) => isShown(record, filter)).length])),
    [cases],
  )
  const texts = useMemo(() => cases.map(searchText), [cases])
  const [filter, setFilter] = useState<Filter>(counts.get('review') === 0 ? 'all' : 'review')
  const [search, setSearch] = useState('')
  const [length, setLength] = useState(portion)
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = useMemo(
    () =>
      cases.filter(
        (record, at) => isShown(record, filter) && words.every((word) => texts[at]?.includes(word)),
      ),
    [cases, filter, search],
  )
  const choose = (next: Filter): void => {
    setFilter(next)
    setLength(portion)
  }
  return html`
    <${Head} data=${data} />
    <${Trend} history=${data.history} />
    <${Compared} data=${data} choose=${choose} />
    <${Repairs} data=${data} />
    <section aria-labelledby="cases-title">
      <h2 id="cases-title">Cases</h2>
      <div class="tools">
        <label>Search <input type="search" value=${search} onInput=${(event: InputEvent) => {
          setSearch((event.target as HTMLInputElement).value)
          setLength(portion)
        }} placeholder="id, question, tag, file, SQL" /></label>
        <div role="group" aria-label="Which cases">
          ${filters
            .filter(([name]) => name === 'all' || (counts.get(name) ?? 0) > 0)
            .map(
              ([name, title]) =>
                html`<button type="button" aria-pressed=${name === filter} onClick=${() => choose(name)}>${title} <span class="count">${counts.get(name)}</span></button>`,
            )}
        </div>
      </div>
      <p role="status">${found.length} of ${cases.length} cases</p>
      <ol class="cases">${found.slice(0, length).map((record) => html`<${CaseItem} key=${record.id} record=${record} />`)}</ol>
      ${found.length > length && html`<${More} left=${found.length - length} more=${() => setLength(length + portion)} />`}
    </section>`
}

/** The button that shows more; it presses itself when it is scrolled to. */
function More({ left, more }: { left: number; more: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && more())
    if (button.current !== null) observer.observe(button.current)
    return () => observer.disconnect()
  })
  return html`<button ref=${button} type="button" class="more" onClick=${more}>Show more (${left} left)</button>`
}

function Head({ data: { run, summary, llm, engines } }: { data: PageData }) {
  const counts = {
    total: summary.total,
    passed: summary.passed,
    repaired: summary.repaired,
    failed: summary.failed,
    unproven: summary.unproven,
    errors: summary.errored,
    pending: summary.pending,
    'not run': summary.skipped,
    flaky: summary.flaky,
  }
  const calls = llm.reduce((sum, { calls }) => sum + calls, 0)
  const facts = [
    run.startedAt.slice(0, 16).replace('T', ' '),
    run.engine,
    run.agent,
    run.dialect,
    run.status === 'finished' ? `${(summary.ms / 1000).toFixed(1)} s` : run.status,
    ...(calls === 0 ? [] : [`${calls} calls of models`]),
    ...engines.map(
      ({ url, queries, ms, scannedBytes }) =>
        `${url}: ${queries} queries, ${(ms / 1000).toFixed(1)} s${scannedBytes === undefined ? '' : `, ${(scannedBytes / 1e9).toFixed(2)} GB read`}`,
    ),
  ]
  const share = summary.total === 0 ? 0 : (summary.passed + summary.repaired) / summary.total
  return html`
    <header><h1>autotest ${run.id}</h1><p class="facts">${facts.join(' · ')}</p></header>
    <ul class="counts">${Object.entries(counts)
      .filter(([name, count]) => count > 0 || /^(?:total|passed|failed)$/.test(name))
      .map(([name, count]) => html`<li class=${name}><b>${count}</b> ${name}</li>`)}
      <li><b>${(share * 100).toFixed(1)}%</b> right</li></ul>
    ${run.failure !== undefined && html`<p class="problem">The run ended early: ${run.failure}</p>`}`
}

function Compared({ data: { compared }, choose }: { data: PageData; choose: (filter: Filter) => void }) {
  if (compared === undefined) return null
  const { id, startedAt, fixed, broken, onlyBefore } = compared
  return html`<section aria-labelledby="compared-title">
    <h2 id="compared-title">Since ${id}, ${startedAt.slice(0, 10)}</h2>
    <p>${broken} newly wrong, ${fixed} newly right${onlyBefore.length > 0 && `, ${onlyBefore.length} no longer there`}.
    ${broken + fixed > 0 && html` <button type="button" onClick=${() => choose('changed')}>Show these</button>`}</p>
  </section>`
}
