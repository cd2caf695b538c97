import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import type { HistoryPoint, PageData } from '../../../src/report/html/page-data.js'
import { html } from './html.js'

/** Shares of right and wrong cases over earlier runs: a chart, and the same as a table. */
export function Trend({ history }: { history: PageData['history'] }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (place.current === null || history.length < 2) return undefined
    const chart = new uPlot(optionsFor(place.current), dataOf(history), place.current)
    const fit = (): void => chart.setSize({ width: place.current?.clientWidth ?? 600, height: 140 })
    addEventListener('resize', fit)
    return () => {
      removeEventListener('resize', fit)
      chart.destroy()
    }
  }, [history])
  if (history.length < 2) return null
  return html`<section aria-labelledby="trend-title"><h2 id="trend-title">Last ${history.length} runs</h2>
    <div ref=${place} class="chart" role="img" aria-label="Share of right cases of each run, in percent"></div>
    <details><summary>As a table</summary><div class="scroll" tabindex="0" role="region" aria-label="Runs"><table><thead><tr>${['run', 'date', 'right', 'failed', 'unproven', 'errors', 'total'].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${history
      .toReversed()
      .map(
        ({ id, startedAt, counts, total }) =>
          html`<tr><th scope="row">${id}</th><td>${startedAt.slice(0, 16).replace('T', ' ')}</td><td>${rightOf(counts)}</td><td>${counts.failed}</td><td>${counts.unproven}</td><td>${counts.errored}</td><td>${total}</td></tr>`,
      )}</tbody></table></div></details></section>`
}

function rightOf({ passed, repaired }: HistoryPoint['counts']): number {
  return passed + repaired
}

function dataOf(history: readonly HistoryPoint[]): [number[], number[]] {
  return [
    history.map((_point, at) => at + 1),
    history.map(({ counts, total }) => (total === 0 ? 0 : (100 * rightOf(counts)) / total)),
  ]
}

function optionsFor(place: HTMLElement): uPlot.Options {
  const style = getComputedStyle(place)
  const text = style.getPropertyValue('--text').trim()
  const grid = { stroke: style.getPropertyValue('--line').trim(), width: 1 }
  const axis = { stroke: text, grid, ticks: grid }
  return {
    width: place.clientWidth,
    height: 140,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false }, y: { range: [0, 100] } },
    axes: [
      { ...axis, show: false },
      { ...axis, size: 48, values: (_chart, splits) => splits.map((at) => `${at}%`) },
    ],
    series: [
      {},
      { stroke: style.getPropertyValue('--passed').trim(), width: 2, points: { show: true, size: 5 } },
    ],
  }
}
