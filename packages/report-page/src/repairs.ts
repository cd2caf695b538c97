import type { PageData } from '../../../src/report/html/page-data.js'
import { html } from './html.js'

type Repair = PageData['repairs'][number]

/** Repairs, a line each that opens with diff and evidence, and what was tried. */
export function Repairs({ data: { repairs, rejected, cases } }: { data: PageData }) {
  const pending = new Set(cases.flatMap(({ id = '', outcome }) => (outcome === 'pending' ? [id] : [])))
  return html`
    ${repairs.length > 0 && html`<section aria-labelledby="repairs-title"><h2 id="repairs-title">Repairs</h2>${repairs.map((repair) => html`<${RepairItem} repair=${repair} isWritten=${!repair.cases.some((id) => pending.has(id))} />`)}</section>`}
    ${rejected.length > 0 && html`<section aria-labelledby="rejected-title"><h2 id="rejected-title">Tried and rejected</h2><details><summary>${rejected.length} ${rejected.length === 1 ? 'repair' : 'repairs'}</summary><ul>${rejected.map(({ title, reason }) => html`<li>${title}: ${reason ?? 'verified, but not written'}</li>`)}</ul></details></section>`}`
}

function RepairItem({ repair, isWritten }: { repair: Repair; isWritten: boolean }) {
  const { id, title, outcome, grade, reasoning, cases, evidence, edits, commit } = repair
  const ratio = ({ passed, of }: { passed: number; of: number }): string => `${passed} of ${of}`
  const facts = [
    isWritten ? outcome : 'verified, not written',
    `${cases.length} ${cases.length === 1 ? 'case' : 'cases'}`,
    ...(grade === undefined ? [] : [`evidence ${grade}`]),
    ...(commit === undefined ? [] : [`commit ${commit.slice(0, 10)}`]),
  ]
  return html`<details class="repair"><summary><code>${id}</code> <b>${title}</b> <span class="question">${facts.join(' · ')}</span></summary>
    <p>${reasoning}</p>
    <dl><dt>cases</dt><dd>${cases.map((each) => html`<code>${each}</code> `)}</dd>
    ${evidence !== undefined && html`<dt>evidence</dt><dd>target cases ${ratio(evidence.target)}, twins ${ratio(evidence.twins)}, held out ${ratio(evidence.heldOut)}, affected ${ratio(evidence.affected)}; the benchmark passed ${evidence.benchmark.before} before and ${evidence.benchmark.after} after, of ${evidence.benchmark.of}</dd>${(evidence.warnings ?? []).map((text) => html`<dt>warning</dt><dd>${text}</dd>`)}`}</dl>
    ${edits.map(({ file, diff }) => html`<figure><figcaption>${file}</figcaption><pre class="diff" tabindex="0" aria-label=${`change of ${file}`}>${diff.split('\n').map((line) => html`<span class=${kindOf(line)}>${line === '' ? ' ' : line}</span>`)}</pre></figure>`)}
  </details>`
}

function kindOf(line: string): string {
  if (/^(?:---|\+\+\+|@@)/.test(line)) return 'place'
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''
}
