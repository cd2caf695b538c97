import { html } from './html.js'
import { type MarkedText, markedQueries } from './marked-queries.js'

const sides = [
  ['- expected', 'expected'],
  ['+ answer', 'answer'],
] as const

/**
 * Two queries, or whatever else was asked for: what the verdict rests on is marked, what only reads differently is
 * underlined, and the rest is dimmed.
 */
export function SideBySide({
  expected,
  generated,
  differences,
}: {
  expected: string
  generated: string
  differences: readonly string[]
}) {
  if (expected === '' && generated === '') return null
  const marked = markedQueries(expected, generated, differences)
  return html`<div class="sides">${sides.map(
    ([title, name], at) =>
      html`<figure><figcaption>${title}</figcaption><pre tabindex="0" aria-label=${name}>${at === 1 && generated === '' ? 'no answer' : partsOf(marked[at] ?? [])}</pre></figure>`,
  )}</div>`
}

function partsOf(parts: readonly MarkedText[]) {
  return parts.map(({ text, kind }) =>
    kind === 'matters' ? html`<mark>${text}</mark>` : html`<span class=${kind}>${text}</span>`,
  )
}
