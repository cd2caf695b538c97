import type { PageData } from '../../../src/report/html/page-data.js'
import { html } from './html.js'

/** More are among the cases below, which are filtered to those that need review. */
const shown = 20

type PageCase = PageData['cases'][number]

interface Item {
  readonly head: string
  readonly reason: string
  readonly ids: readonly string[]
  readonly command: string
}

/** What needs a person first: decisions that wait, then what did not pass, a cause at a time, with its next command. */
export function NeedsPerson({ data }: { data: PageData }) {
  const { questions, summary } = data
  const items = itemsOf(data)
  if (items.length + questions.length === 0)
    return html`<section aria-labelledby="person-title"><h2 id="person-title">Needs a person</h2><p class="empty">${summary.total === 0 ? 'No case was run.' : 'Nothing: no case failed, and no decision waits.'}</p></section>`
  return html`<section aria-labelledby="person-title"><h2 id="person-title">Needs a person</h2><ul class="person">
    ${questions.map(({ question, options }) => html`<li><span class="outcome pending">decide</span> ${question}<ul>${options.map(({ how }) => html`<li>${how}</li>`)}</ul></li>`)}
    ${items.slice(0, shown).map(
      ({
        head,
        reason,
        ids,
        command,
      }) => html`<li><span class="outcome failed">${ids.length} ${ids.length === 1 ? 'case' : 'cases'}</span> <b>${head}</b> ${reason}
      <div class="next"><a href=${`#case=${encodeURIComponent(ids[0] ?? '')}`}>${ids.slice(0, 5).join(', ')}${ids.length > 5 ? `, ${ids.length - 5} more` : ''}</a> · <code>${command}</code></div></li>`,
    )}
  </ul>${items.length > shown && html`<p>${items.length - shown} more are among the cases below.</p>`}</section>`
}

/** Returns what needs review: cases of one cause as one, and every other case for itself. */
function itemsOf(data: PageData): Item[] {
  const { cases, causes } = data
  const byId = new Map(cases.map((record) => [record.id, record]))
  const together = new Set(causes.flatMap((cause) => cause.cases))
  const ofCauses = causes.map(({ subject, label, cause, cases: ids }) => {
    const first = byId.get(ids[0])
    const head = [subject, label?.replaceAll('_', ' ')].filter((part) => part !== undefined && part !== '')
    return { head: head.join(', '), reason: cause ?? reasonOf(first), ids, command: first?.rerun ?? '' }
  })
  const alone = cases.flatMap((record): Item[] => {
    const { id = '', outcome, label, rerun } = record
    if (together.has(id) || !/^(?:failed|unproven|errored)$/.test(outcome ?? '')) return []
    return [{ head: label?.replaceAll('_', ' ') ?? '', reason: reasonOf(record), ids: [id], command: rerun }]
  })
  return [...unwrittenRepairs(data), ...ofCauses, ...alone]
}

/** Returns the repairs that wait to be written, as one: a command writes them all. */
function unwrittenRepairs({ cases, run }: PageData): Item[] {
  const ids = cases.flatMap(({ id = '', outcome }) => (outcome === 'pending' ? [id] : []))
  if (ids.length === 0) return []
  const reason = 'The repairs below are verified; nothing is written before you apply them.'
  return [{ head: '', reason, ids, command: `autotest apply ${run.id}` }]
}

function reasonOf(record: PageCase | undefined): string {
  return record?.cause ?? record?.reason ?? record?.message ?? ''
}
