import { useState } from 'preact/hooks'
import type { PageData } from '../../../src/report/html/page-data.js'
import { html } from './html.js'
import { SideBySide } from './side-by-side.js'

export type PageCase = PageData['cases'][number]

/** One case: a line, and what is known of it once it is opened. */
export function CaseItem({ record }: { record: PageCase }) {
  const [isOpen, setOpen] = useState(false)
  const { outcome = 'skipped', id, question, label, tags = [], before, isNew, repeat } = record
  const marks = [
    ...(label === 'flaky' || repeat !== undefined
      ? [repeat === undefined ? 'flaky' : `${repeat.passed} of ${repeat.asked} right`]
      : []),
    ...(before === undefined ? [] : [`before: ${before}`]),
    ...(isNew === true ? ['new'] : []),
  ]
  return html`<li><details open=${isOpen} onToggle=${(event: Event) => setOpen((event.target as HTMLDetailsElement).open)}>
    <summary><span class="outcome ${outcome}">${outcome}</span> <code>${id}</code> <span class="question">${question}</span>
      ${tags.map((tag) => html`<span class="tag">${tag}</span>`)}${marks.map((mark) => html`<span class="mark">${mark}</span>`)}</summary>
    ${isOpen && html`<${Detail} record=${record} />`}
  </details></li>`
}

function Detail({ record }: { record: PageCase }) {
  const {
    reason,
    cause,
    finding,
    differences = [],
    message,
    judged,
    repair,
    file,
    line,
    rerun,
    read,
    rows,
    ownExample,
    alike,
  } = record
  const facts: readonly (readonly [string, unknown])[] = [
    ['verdict', reason],
    ['cause', cause],
    ['same cause', alike],
    ['no evidence', ownExample && `answered from its own example (${ownExample})`],
    ['results', finding],
    ['message', message],
    ['judge', judged],
    ['repaired by', repair],
    ['place', `${file}:${line}`],
    ['asked', answersOf(record)],
    ['again', html`<code>${rerun}</code>`],
  ]
  const entries = read === undefined || read === 'all' ? undefined : read
  return html`<div class="detail">
    <dl>${facts
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
      ${entries !== undefined && html`<dt>knowledge used</dt><dd>${entries.length === 0 ? 'none' : entries.map((entry) => html`<code>${entry}</code> `)}</dd>`}
    </dl>
    ${differences.length > 0 && html`<h3>Differences</h3><ul>${differences.map((text) => html`<li>${text}</li>`)}</ul>`}
    <${SideBySide} expected=${record.expectedSql ?? ''} generated=${record.sql ?? ''} />
    ${rows !== undefined && html`<${Rows} rows=${rows} />`}
    <${Findings} findings=${record.findings} />
  </div>`
}

function answersOf({ repeat }: PageCase): string | undefined {
  if (repeat === undefined) return undefined
  return `${repeat.passed} of ${repeat.asked} right: ${(repeat.verdicts ?? []).join(', ')}`
}

type ComparedRows = NonNullable<PageCase['rows']>

function Rows({ rows: { columns, expected, actual, differing, differences } }: { rows: ComparedRows }) {
  const names = columns.map((column: unknown) =>
    typeof column === 'string' ? column : String((column as { name?: unknown }).name ?? ''),
  )
  return html`<h3>Rows that differ</h3>
    <p>${expected} ${expected === 1 ? 'row' : 'rows'} expected, ${actual} generated, ${differing} differ${differences.length < differing && `; the first ${differences.length}`}.</p>
    <div class="scroll" tabindex="0" role="region" aria-label="Rows that differ"><table><thead><tr><th scope="col">row</th>${names.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${differences.map((difference) => {
      if (difference.kind === 'columns' || difference.kind === 'order')
        return html`<tr><td colspan=${names.length + 1}>${difference.text}</td></tr>`
      const { expected: wanted, actual: given } = difference
      return html`${wanted !== undefined && html`<${Row} kind="expected" cells=${wanted} other=${given} />`}${given !== undefined && html`<${Row} kind="generated" cells=${given} other=${wanted} />`}`
    })}</tbody></table></div>`
}

type Cells = readonly unknown[]

function Row({ kind, cells, other }: { kind: string; cells: Cells; other: Cells | undefined }) {
  return html`<tr class=${kind}><th scope="row">${kind}</th>${cells.map((cell, at) => {
    const differs = other !== undefined && other[at] !== cell
    return html`<td class=${differs ? 'differs' : ''}>${cell === null ? html`<i>null</i>` : String(cell)}</td>`
  })}</tr>`
}

interface Ratio {
  readonly taken: number
  readonly total: number
}

/** What is known of unit tests: mutants and coverage. */
function Findings({ findings }: { findings: unknown }) {
  if (typeof findings !== 'object' || findings === null || !('mutants' in findings)) return null
  const { tests, newTests, mutants, lines, branches, survivors, problems, warnings } = findings as {
    tests: number
    newTests: number
    mutants: { total: number; killed: number; killable?: number; killableKilled?: number }
    lines: Ratio
    branches: Ratio
    survivors: readonly { description?: string; line?: number }[]
    problems: readonly string[]
    warnings: readonly string[]
  }
  const ratio = ({ taken, total }: Ratio): string => `${taken} of ${total}`
  return html`<h3>Tests</h3><dl>
    <dt>tests</dt><dd>${tests}, of them new: ${newTests}</dd>
    <dt>mutants killed</dt><dd>${mutants.killed} of ${mutants.total}${mutants.killable !== undefined && `; of those that tests can kill: ${mutants.killableKilled} of ${mutants.killable}`}</dd>
    <dt>lines run</dt><dd>${ratio(lines)}</dd><dt>branches taken</dt><dd>${ratio(branches)}</dd></dl>
    ${[...problems, ...warnings].length > 0 && html`<ul>${[...problems, ...warnings].map((text) => html`<li>${text}</li>`)}</ul>`}
    ${survivors.length > 0 && html`<p>Mutants that survive:</p><ul>${survivors.map((survivor) => html`<li>${textOf(survivor)}</li>`)}</ul>`}`
}

function textOf(value: Readonly<Record<string, unknown>>): string {
  return Object.entries(value)
    .filter(([, part]) => typeof part === 'string' || typeof part === 'number')
    .map(([name, part]) => `${name} ${part}`)
    .join(' · ')
}
