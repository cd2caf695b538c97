import { describe, expect, it } from 'vitest'
import { escapeHtml, panelPage } from '../../src/generate/panel-page.js'
import type { GeneratedTest } from '../../src/server/protocol.js'

const hostile = `"></code><script>alert(1)</script><img src=x onerror='alert(2)'>`
const result: GeneratedTest = {
  ...{ code: hostile, test_file: hostile, test_names: [hostile], framework: 'pytest', files: [] },
  tests: [
    { name: hostile, code: hostile, kills: [{ number: 1, line: 3, before: hostile, after: hostile }] },
    { name: 'test_plain', code: 'def test_plain(): ...', kills: [] },
  ],
  validation: { valid: true, passed: 2, failed: 0, attempts: 1 },
  mutants: { killed: 1, total: 2, survivors: [{ number: 2, line: 4, before: hostile, after: '' }] },
  ...{ suspects: [], hints: [] },
  context: { imports: { direct_imports: [], used_by_function: [], mock_candidates: [] }, conftest: {} },
}
const context = { cspSource: 'vscode-resource:', styleUri: 'a.css', scriptUri: 'a.js', nonce: 'abc' }
const page = (state: 'proposed' | 'accepted' | 'rejected'): string =>
  panelPage({ path: hostile, qualname: hostile, result, state }, context)

describe('the panel', () => {
  it('runs no script and loads nothing but its own', () => {
    const html = page('proposed')
    expect(html).toContain(
      'default-src &#39;none&#39;; style-src vscode-resource:; script-src &#39;nonce-abc&#39;',
    )
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).not.toMatch(/<img|onerror='|<script>|https?:/)
    expect(html).toContain(escapeHtml(hostile))
  })

  it('says what each test notices, and what none does', () => {
    expect(page('proposed')).toContain('Notices 1 change<')
    expect(page('proposed')).toContain('Notices none of the changes that were tried.')
    expect(page('proposed')).toContain('Not noticed: 1 change<')
  })

  it.each([
    ['proposed', ['accept', 'diff', 'regenerate', 'reject']],
    ['accepted', ['open', 'regenerate']],
    ['rejected', ['regenerate']],
  ] as const)('%s: offers what can be done', (state, actions) => {
    const found = [...page(state).matchAll(/data-action="(\w+)"(?! data-line)/g)].map(([, action]) => action)
    expect(found).toEqual(actions)
  })
})
