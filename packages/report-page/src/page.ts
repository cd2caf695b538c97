import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { PageData } from '../../../src/report/html/page-data.js'
import { type Address, readAddress, writeAddress } from './address.js'
import { CaseItem, type PageCase } from './case-item.js'
import { html } from './html.js'
import { NeedsPerson } from './needs-person.js'
import { Repairs } from './repairs.js'
import { Trend } from './trend.js'
import { verdictOf } from './verdict.js'

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
  ['changed', 'Changed since the last run'],
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

/** By what the list of cases is divided, with its name. */
const groupings = [
  ['none', 'no groups'],
  ['cause', 'cause'],
  ['tag', 'tag'],
  ['file', 'file'],
] as const

function groupOf(record: PageCase, grouping: string): string {
  if (grouping === 'cause') return record.cause ?? record.reason ?? ''
  return grouping === 'tag' ? (record.tags?.[0] ?? 'no tag') : (record.file ?? '')
}

export function Page({ data }: { data: PageData }) {
  const { cases } = data
  const counts = useMemo(
    () =>
      new Map(filters.map(([filter]) => [filter, cases.filter((record) => isShown(record, filter)).length])),
    [cases],
  )
  const texts = useMemo(() => cases.map(searchText), [cases])
  const [address, setAddress] = useState<Address>(readAddress)
  const [length, setLength] = useState(portion)
  useEffect(() => {
    const follow = (): void => setAddress(readAddress())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const change = (changed: Address): void => {
    writeAddress(changed)
    setAddress(readAddress())
    setLength(portion)
  }
  const { search = '', group = 'none', case: opened } = address
  const isKnown = filters.some(([name]) => name === address.filter)
  const filter = isKnown ? (address.filter as Filter) : counts.get('review') === 0 ? 'all' : 'review'
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = useMemo(() => {
    const matching = cases.filter(
      (record, at) =>
        record.id === opened || (isShown(record, filter) && words.every((word) => texts[at]?.includes(word))),
    )
    if (group === 'none') return matching
    const first = new Map<string, number>()
    for (const record of matching)
      first.set(groupOf(record, group), first.get(groupOf(record, group)) ?? first.size)
    const order = (record: PageCase): number => first.get(groupOf(record, group)) ?? 0
    return matching.toSorted((one, other) => order(one) - order(other))
  }, [cases, filter, search, group, opened])
  const choose = (next: Filter): void => change({ filter: next, case: undefined })
  // A case that the address names is shown however far down it is.
  const at = found.findIndex((record) => record.id === opened)
  const list = found.slice(0, Math.max(length, at + 1))
  return html`
    <${Head} data=${data} />
    <${Compared} data=${data} choose=${choose} />
    <${NeedsPerson} data=${data} />
    <${Repairs} data=${data} />
    <${Trend} history=${data.history} />
    <section aria-labelledby="cases-title">
      <h2 id="cases-title">Cases</h2>
      <div class="tools">
        <label>Search <input type="search" value=${search} onInput=${(event: InputEvent) => change({ search: (event.target as HTMLInputElement).value, case: undefined })} placeholder="id, question, tag, file, SQL" /></label>
        <label>Group by <select value=${group} onChange=${(event: Event) => change({ group: (event.target as HTMLSelectElement).value })}>${groupings.map(([name, title]) => html`<option value=${name} selected=${name === group}>${title}</option>`)}</select></label>
        <div role="group" aria-label="Which cases">
          ${filters
            .filter(([name]) => name === 'all' || (counts.get(name) ?? 0) > 0)
            .map(
              ([name, title]) =>
                html`<button type="button" aria-pressed=${name === filter} onClick=${() => choose(name)}>${title} <span class="count">${counts.get(name)}</span></button>`,
            )}
        </div>
      </div>
      <p role="status">${found.length} of ${cases.length} cases${found.length === 0 && cases.length > 0 ? ': no case matches the search and the filter' : ''}</p>
      <ol class="cases">${list.map((record, index) => {
        const before = list[index - 1]
        const name = groupOf(record, group)
        const isFirst = group !== 'none' && (before === undefined || groupOf(before, group) !== name)
        return html`${isFirst && html`<li class="group" key=${`group ${name}`}><h3>${name}</h3></li>`}<${CaseItem} key=${record.id} record=${record} opened=${record.id === opened} />`
      })}</ol>
      ${found.length > list.length && html`<${More} left=${found.length - list.length} more=${() => setLength(list.length + portion)} />`}
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

function Head({ data }: { data: PageData }) {
  const { run, summary, llm, engines } = data
  const counts = {
    total: summary.total,
    passed: summary.passed,
    repaired: summary.repaired,
    failed: summary.failed,
    unproven: summary.unproven,
    [summary.errored === 1 ? 'error' : 'errors']: summary.errored,
    pending: summary.pending,
    'not run': summary.skipped,
    flaky: summary.flaky,
  }
  const calls = llm.reduce((sum, { calls }) => sum + calls, 0)
  const knowledge = run.knowledge.slice(0, 7)
  const after = run.knowledgeAfter?.slice(0, 7) ?? knowledge
  const facts = [
    `knowledge ${knowledge}${after === knowledge ? '' : ` → ${after}`}`,
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
  const verdict = verdictOf(data)
  return html`
    <header><h1>autotest ${run.id}</h1><p class="verdict ${verdict.state}">${verdict.text}</p><p class="facts">${facts.join(' · ')}</p></header>
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
