import { useEffect, useRef, useState } from 'preact/hooks'
import type { HistoryPoint, PageData } from '../../../src/report/html/page-data.js'
import { html } from './html.js'

const height = 150
/** Around the lines: room for labels, and for half of the first and the last point. */
const inset = { left: 44, right: 10, top: 10, bottom: 22 }

/** Shares of right cases over earlier runs: a chart, and the same as a table. */
export function Trend({ history }: { history: PageData['history'] }) {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(600)
  useEffect(() => {
    if (place.current === null) return undefined
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(200, entry?.contentRect.width ?? 600)))
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  if (history.length < 2) return null
  return html`<section aria-labelledby="trend-title"><h2 id="trend-title">Last ${history.length} runs</h2>
    <div ref=${place} class="chart"><${Chart} history=${history} width=${width} /></div>
    <details><summary>As a table</summary><div class="scroll" tabindex="0" role="region" aria-label="Runs"><table><thead><tr>${['run', 'started (UTC)', 'passed', 'change', 'repaired', 'failed', 'unproven', 'errors', 'total'].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${history
      .map(({ id, startedAt, counts, total }, at) => {
        const before = history[at - 1]?.counts.passed
        return html`<tr><th scope="row">${id}</th><td>${minuteOf(startedAt)}</td>${[counts.passed, before === undefined ? '' : signed(counts.passed - before), counts.repaired, counts.failed, counts.unproven, counts.errored, total].map((value) => html`<td class="number">${value}</td>`)}</tr>`
      })
      .reverse()}</tbody></table></div></details></section>`
}

function Chart({ history, width }: { history: PageData['history']; width: number }) {
  const x = (at: number): number =>
    inset.left + (at * (width - inset.left - inset.right)) / Math.max(1, history.length - 1)
  const y = (share: number): number => inset.top + (1 - share) * (height - inset.top - inset.bottom)
  const points = history.map((point, at) => ({ point, x: x(at), y: y(shareOf(point)) }))
  const [first, last] = [history[0], history.at(-1)]
  return html`<svg width=${width} height=${height} viewBox=${`0 0 ${width} ${height}`} role="img" aria-label="Share of right cases of each run, in percent; the table below has the same numbers">
    ${[0, 0.5, 1].map((share) => html`<line class="grid" x1=${inset.left} x2=${width - inset.right} y1=${y(share)} y2=${y(share)} /><text x=${inset.left - 6} y=${y(share) + 4} text-anchor="end">${share * 100}%</text>`)}
    <text x=${inset.left} y=${height - 4}>${first?.startedAt.slice(0, 10)}</text>
    <text x=${width - inset.right} y=${height - 4} text-anchor="end">${last?.startedAt.slice(0, 10)}</text>
    <polyline class="line" points=${points.map((each) => `${each.x},${each.y}`).join(' ')} />
    ${points.map(
      ({ point, x: cx, y: cy }) =>
        html`<circle class=${shareOf(point) === 1 ? 'all-right' : 'some-wrong'} cx=${cx} cy=${cy} r="5"><title>${`${point.id}, ${minuteOf(point.startedAt)}: ${rightOf(point.counts)} of ${point.total} right`}</title></circle>`,
    )}
  </svg>`
}

function shareOf({ counts, total }: HistoryPoint): number {
  return total === 0 ? 0 : rightOf(counts) / total
}

function rightOf({ passed, repaired }: HistoryPoint['counts']): number {
  return passed + repaired
}

function minuteOf(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ')
}

function signed(change: number): string {
  return change > 0 ? `+${change}` : change < 0 ? `−${-change}` : '0'
}
