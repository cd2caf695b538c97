import type { PageData } from '../../../src/report/html/page-data.js'
import { html } from './html.js'

type Repair = PageData['repairs'][number]

/** What was repaired, with diff and evidence; what waits for a decision; what was tried. */
export function Repairs({ data: { repairs, questions, rejected } }: { data: PageData }) {
  return html`
    ${repairs.length > 0 && html`<section aria-labelledby="repairs-title"><h2 id="repairs-title">Repairs</h2>${repairs.map((repair) => html`<${RepairItem} repair=${repair} />`)}</section>`}
    ${questions.length > 0 && html`<section aria-labelledby="questions-title"><h2 id="questions-title">Needs a decision</h2><ul>${questions.map(({ question, options }) => html`<li>${question}<ul>${options.map(({ how }) => html`<li>${how}</li>`)}</ul></li>`)}</ul></section>`}
    ${rejected.length > 0 && html`<section aria-labelledby="rejected-title"><h2 id="rejected-title">Rejected repairs</h2><ul>${rejected.map(({ title, reason }) => html`<li>${title}: ${reason ?? 'verified, but not written'}</li>`)}</ul></section>`}`
}

function RepairItem({ repair }: { repair: Repair }) {
  const { title, outcome, grade, reasoning, cases, evidence, edits, commit } = repair
  const ratio = ({ passed, of }: { passed: number; of: number }): string => `${passed} of ${of}`
  return html`<article class="repair"><h3>${title}</h3>
    <p>${outcome}${grade !== undefined && ` · evidence ${grade}`}${commit !== undefined && ` · commit ${commit.slice(0, 10)}`}</p>
    <p>${reasoning}</p>
    <dl><dt>cases</dt><dd>${cases.map((id) => html`<code>${id}</code> `)}</dd>
    ${evidence !== undefined && html`<dt>evidence</dt><dd>target cases ${ratio(evidence.target)}, twins ${ratio(evidence.twins)}, held out ${ratio(evidence.heldOut)}, affected ${ratio(evidence.affected)}; the benchmark passed ${evidence.benchmark.before} before and ${evidence.benchmark.after} after, of ${evidence.benchmark.of}</dd>${(evidence.warnings ?? []).map((text) => html`<dt>warning</dt><dd>${text}</dd>`)}`}</dl>
    ${edits.map(({ file, diff }) => html`<figure><figcaption>${file}</figcaption><pre class="diff" tabindex="0" aria-label=${`change of ${file}`}>${diff.split('\n').map((line) => html`<span class=${kindOf(line)}>${line === '' ? ' ' : line}</span>`)}</pre></figure>`)}
  </article>`
}

function kindOf(line: string): string {
  if (/^(?:---|\+\+\+|@@)/.test(line)) return 'place'
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''
}
