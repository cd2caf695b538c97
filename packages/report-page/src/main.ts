import { render } from 'preact'
import type { PageData } from '../../../src/report/html/page-data.js'
import { html } from './html.js'
import { Page } from './page.js'

/** Reads the data of the page and shows them. */
async function start(): Promise<void> {
  const root = document.getElementById('page')
  const packed = document.getElementById('data')?.textContent ?? ''
  if (root === null) return
  try {
    const data: PageData = JSON.parse(await unpacked(packed))
    root.textContent = ''
    render(html`<${Page} data=${data} />`, root)
  } catch (error) {
    const place = document.getElementById('loading') ?? root
    place.textContent = `The data of this page cannot be read: ${error instanceof Error ? error.message : String(error)}. The file may be cut, or the browser older than 2023.`
  }
}

async function unpacked(text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(stream).text()
}

// What is in the page as text is painted first.
requestAnimationFrame(() => setTimeout(start))
