import { diffWordsWithSpace } from 'diff'
import { html } from './html.js'

/** Texts beyond this are shown as they are: marking their differences would take seconds. */
const longest = 20_000

/** Two queries, or whatever else was asked for, with what differs marked. */
export function SideBySide({ expected, generated }: { expected: string; generated: string }) {
  if (expected === '' && generated === '') return null
  const isLong = expected.length + generated.length > longest
  const parts = isLong ? undefined : diffWordsWithSpace(expected, generated)
  const side = (own: 'removed' | 'added', other: 'removed' | 'added', text: string) =>
    parts === undefined
      ? text
      : parts
          .filter((part) => !part[other])
          .map((part) =>
            part[own] && part.value.trim() !== '' ? html`<mark>${part.value}</mark>` : part.value,
          )
  return html`<div class="sides">
    <figure><figcaption>expected</figcaption><pre tabindex="0" aria-label="expected">${side('removed', 'added', expected)}</pre></figure>
    <figure><figcaption>generated</figcaption><pre tabindex="0" aria-label="generated">${generated === '' ? 'no answer' : side('added', 'removed', generated)}</pre></figure>
  </div>`
}
