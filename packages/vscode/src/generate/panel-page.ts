import type { GeneratedTest, Survivor } from '../server/protocol.js'

export interface PageContext {
  /** Where the page may load its style from. */
  readonly cspSource: string
  readonly styleUri: string
  readonly scriptUri: string
  readonly nonce: string
}

/** What the panel shows. */
export interface PageContent {
  /** Relative path of the file, and the function's name. */
  readonly path: string
  readonly qualname: string
  readonly result: GeneratedTest
  readonly state: 'proposed' | 'accepted' | 'rejected'
}

/** Renders the panel with the generated tests as one page of HTML; nothing of it comes from elsewhere. */
export function panelPage(
  { path, qualname, result, state }: PageContent,
  { cspSource, styleUri, scriptUri, nonce }: PageContext,
): string {
  const { tests, mutants, validation, test_file: testFile } = result
  const policy = `default-src 'none'; style-src ${cspSource}; script-src 'nonce-${nonce}'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escapeHtml(styleUri)}">
<title>Tests of ${escapeHtml(qualname)}</title>
</head>
<body>
<main>
<h1>Tests of <code>${escapeHtml(qualname)}</code></h1>
<p class="place">${escapeHtml(path)} → ${escapeHtml(testFile)}</p>
<p id="state" role="status">${escapeHtml(stateText(state, result))}</p>
<div class="actions" role="group" aria-label="What to do with these tests">
${state === 'proposed' ? actions() : after(state)}
</div>
<dl class="facts">
<div><dt>Tests</dt><dd>${tests.length} new, ${validation.passed} pass${validation.failed === 0 ? '' : `, ${validation.failed} fail`}</dd></div>
<div><dt>Changes noticed</dt><dd>${mutants.killed} of ${mutants.total}</dd></div>
<div><dt>Attempts</dt><dd>${validation.attempts}</dd></div>
</dl>
${tests.map(testSection).join('\n')}
${survivorSection(mutants.survivors)}
</main>
<script nonce="${nonce}" src="${escapeHtml(scriptUri)}"></script>
</body>
</html>`
}

function stateText(state: PageContent['state'], { tests, test_file: file }: GeneratedTest): string {
  const count = `${tests.length} ${tests.length === 1 ? 'test' : 'tests'}`
  if (state === 'accepted') return `${count} written to ${file}.`
  if (state === 'rejected') return 'Rejected: nothing was written.'
  return `${count} proposed. Nothing is written yet.`
}

function actions(): string {
  return [
    '<button type="button" data-action="accept" class="primary">Accept</button>',
    '<button type="button" data-action="diff">Show Diff</button>',
    '<button type="button" data-action="regenerate">Regenerate</button>',
    '<button type="button" data-action="reject">Reject</button>',
  ].join('\n')
}

function after(state: 'accepted' | 'rejected'): string {
  const open = '<button type="button" data-action="open" class="primary">Open Test File</button>'
  const again = '<button type="button" data-action="regenerate">Regenerate</button>'
  return state === 'accepted' ? `${open}\n${again}` : again
}

function testSection({ name, code, kills }: GeneratedTest['tests'][number]): string {
  const noticed =
    kills.length === 0
      ? '<p>Notices none of the changes that were tried.</p>'
      : `<details><summary>Notices ${kills.length} ${kills.length === 1 ? 'change' : 'changes'}</summary>${changeList(kills)}</details>`
  return `<section aria-label="${escapeHtml(name)}">
<h2><code>${escapeHtml(name)}</code></h2>
<pre tabindex="0" aria-label="Code of ${escapeHtml(name)}"><code>${escapeHtml(code)}</code></pre>
${noticed}
</section>`
}

function survivorSection(survivors: readonly Survivor[]): string {
  if (survivors.length === 0)
    return '<section><h2>Nothing is missed</h2><p>Every change of the function that was tried is noticed.</p></section>'
  return `<section><h2>Not noticed: ${survivors.length} ${survivors.length === 1 ? 'change' : 'changes'}</h2>${changeList(survivors)}</section>`
}

function changeList(changes: readonly Survivor[]): string {
  const rows = changes.map(
    ({ line, before, after }) =>
      `<li><button type="button" class="link" data-action="line" data-line="${line}">Line ${line}</button> <del>${escapeHtml(before)}</del> <span aria-hidden="true">→</span> <ins>${escapeHtml(after)}</ins></li>`,
  )
  return `<ul class="changes">${rows.join('')}</ul>`
}

export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replace(/[&<>"']/g, (each) => entities[each] ?? each)
}
