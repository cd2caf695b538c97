import { useEffect, useRef, useState } from 'preact/hooks'
import type { PageData } from '../../../src/report/html/page-data.js'
import { rememberCase } from './address.js'
import { html } from './html.js'
import { SideBySide } from './side-by-side.js'

export type PageCase = PageData['cases'][number]

/** One case: a line with why it did not pass, and what is known of it once it is opened. */
export function CaseItem({ record, opened }: { record: PageCase; opened: boolean }) {
  const [isOpen, setOpen] = useState(opened)
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (!opened) return
    setOpen(true)
    item.current?.scrollIntoView({ block: 'start' })
  }, [opened])
  const { outcome = 'skipped', id, question, label, tags = [], before, isNew, repeat } = record
  const marks = [
    ...(label === 'flaky' || repeat !== undefined
      ? [repeat === undefined ? 'flaky' : `${repeat.passed} of ${repeat.asked} right`]
      : []),
    ...(before === undefined ? [] : [`before: ${before}`]),
    ...(isNew === true ? ['new'] : []),
  ]
  const why = outcome === 'passed' ? undefined : reasonOf(record)
  const onToggle = (event: Event): void => {
    const { open } = event.target as HTMLDetailsElement
    setOpen(open)
    if (open) rememberCase(id ?? '')
  }
  return html`<li ref=${item}><details open=${isOpen} onToggle=${onToggle}>
    <summary><span class="outcome ${outcome}">${outcome}</span> <code>${id}</code> <span class="question">${question}</span>
      ${tags.map((tag) => html`<span class="tag">${tag}</span>`)}${marks.map((mark) => html`<span class="mark">${mark}</span>`)}
      ${why !== undefined && !isOpen && html`<div class="why">${why}</div>`}</summary>
    ${isOpen && html`<${Detail} record=${record} />`}
  </details></li>`
}

/** Why a case did not pass, in one text. */
function reasonOf({ cause, differences = [], reason, message, alike }: PageCase): string | undefined {
  return cause ?? (differences.length > 0 ? differences.join('; ') : (reason ?? message ?? alike))
}

function Detail({ record }: { record: PageCase }) {
  const { reason, cause, finding, differences = [], message, judged, repair, file, line } = record
  const { rerun, read, rows, ownExample, alike } = record
  // Each reason once: the list of differences says what verdict and results repeat.
  const said = [cause ?? '', ...differences].join('\n')
  const unlessSaid = (text: string | undefined): string | undefined =>
    text === undefined || text.split('; ').every((part) => said.includes(part)) ? undefined : text
  const facts: readonly (readonly [string, unknown])[] = [
    ['why', cause],
    ['verdict', unlessSaid(reason)],
    ['results', unlessSaid(finding)],
    ['same cause', alike],
    ['no evidence', ownExample && `answered from its own example (${ownExample})`],
    ['message', unlessSaid(message)],
    ['judge', judged],
    ['repaired by', repair],
    ['file', `${file}:${line}`],
    ['asked', answersOf(record)],
    ['rerun', html`<code>${rerun}</code>`],
  ]
  const entries = read === undefined || read === 'all' ? undefined : read
  return html`<div class="detail">
    ${differences.length > 0 && html`<ul class="differences">${differences.map((text) => html`<li>${text}</li>`)}</ul>`}
    <dl>${facts
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
      ${entries !== undefined && html`<dt>knowledge used</dt><dd>${entries.length === 0 ? 'none' : entries.map((entry) => html`<code>${entry}</code> `)}</dd>`}
    </dl>
    <${SideBySide} expected=${record.expectedSql ?? ''} generated=${record.sql ?? ''} differences=${differences} />
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
  const changed = changedColumns(differences)
  const columnClass = (at: number): string =>
    at === 0 || changed.size === 0 || changed.has(at) ? '' : 'same-column'
  return html`<h3>Rows that differ</h3>
    <p>${expected} ${expected === 1 ? 'row' : 'rows'} expected, ${actual} in the answer, ${differing} ${differing === 1 ? 'differs' : 'differ'}${differences.length < differing && `; the first ${differences.length}`}.</p>
    <div class="scroll" tabindex="0" role="region" aria-label="Rows that differ"><table><thead><tr><th scope="col">row</th>${names.map((name, at) => html`<th scope="col" class=${columnClass(at)}>${name}</th>`)}</tr></thead>
    <tbody>${differences.map((difference) => {
      if (difference.kind === 'columns' || difference.kind === 'order')
        return html`<tr><td colspan=${names.length + 1}>${difference.text}</td></tr>`
      const { expected: wanted, actual: given } = difference
      return html`${wanted !== undefined && html`<${Row} kind="- expected" cells=${wanted} other=${given} columnClass=${columnClass} />`}${given !== undefined && html`<${Row} kind="+ answer" cells=${given} other=${wanted} columnClass=${columnClass} />`}`
    })}</tbody></table></div>`
}

type Cells = readonly unknown[]

/** Columns in which some pair of rows differs; empty where whole rows are missing or extra. */
function changedColumns(differences: ComparedRows['differences']): ReadonlySet<number> {
  const changed = new Set<number>()
  for (const difference of differences)
    if (difference.kind === 'changed')
      for (const [at, cell] of difference.expected.entries())
        if (cell !== difference.actual[at]) changed.add(at)
  return changed
}

function Row({
  kind,
  cells,
  other,
  columnClass,
}: {
  kind: string
  cells: Cells
  other: Cells | undefined
  columnClass: (at: number) => string
}) {
  return html`<tr><th scope="row">${kind}</th>${cells.map((cell, at) => {
    const beside = other?.[at]
    const differs = other !== undefined && beside !== cell
    const delta =
      differs && kind.startsWith('+') && typeof cell === 'number' && typeof beside === 'number'
        ? ` (${cell > beside ? '+' : '−'}${Number(Math.abs(cell - beside).toPrecision(6))})`
        : ''
    const classes = [columnClass(at), differs ? 'differs' : '', typeof cell === 'number' ? 'number' : '']
    return html`<td class=${classes.filter(Boolean).join(' ')}>${cell === null ? html`<i>null</i>` : String(cell)}${delta}</td>`
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
