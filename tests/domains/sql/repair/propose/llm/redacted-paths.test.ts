import { describe, expect, it } from 'vitest'
import { resolveRedactedPath } from '../../../../../../src/domains/sql/repair/propose/llm/redacted-paths.js'

const files = ['kb/metrics/total_gold.yaml', 'kb/metrics/net_gold.yaml', 'kb/metrics/total_tin.yaml']
const redact = (text: string): string => text.replaceAll('gold', '***')

describe('resolveRedactedPath', () => {
  it('leaves a path alone in which nothing is redacted', () => {
    expect(resolveRedactedPath('kb/metrics/total.yaml', files, redact)).toBe('kb/metrics/total.yaml')
  })

  it('finds the file whose name is redacted so, also where nothing is redacted any more', () => {
    expect(resolveRedactedPath('kb/metrics/total_***.yaml', files, redact)).toBe('kb/metrics/total_gold.yaml')
    expect(resolveRedactedPath('kb/metrics/net_***.yaml', files, (text) => text)).toBe(
      'kb/metrics/net_gold.yaml',
    )
  })

  it('guesses none of several, and none that is not there', () => {
    const both = (text: string): string => redact(text).replaceAll('tin', '***')
    for (const path of ['kb/metrics/total_***.yaml', '***', 'kb/metrics/gross_***.yaml'])
      expect(resolveRedactedPath(path, files, both)).toBe(path)
  })
})
