import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  auditIgnoreFile,
  leaveOutIgnored,
  readIgnoredFindings,
} from '../../../src/app/checks/audit-ignore-file.js'
import { type Finding, findingKinds } from '../../../src/audit/finding.js'
import type { Mutant } from '../../../src/audit/mutants.js'
import { removeFolders, scratchFolder } from '../../e2e/sample.js'

afterAll(removeFolders)

const mutant = (words: string): Mutant => ({ words, sql: 'SELECT 1' }) as Mutant
const finding = (kind: Finding['kind'], subject: string, mutants?: readonly Mutant[]): Finding => ({
  ...{ kind, subject, file: 'benchmarks/a.yaml', line: 3, text: 'found', advice: 'fix' },
  mutants,
})

function folderWith(text: string): string {
  const dir = scratchFolder()
  writeFileSync(join(dir, auditIgnoreFile), text)
  return dir
}

describe('findings that a person has judged', () => {
  it('are left out, one mutant alone or the whole finding', async () => {
    const ignored = await readIgnoredFindings(
      folderWith(`ignore:
  - { subject: a, kind: survivors, mutant: ">= instead of >", reason: whole days }
  - { subject: b, kind: empty, reason: nothing sold there }
`),
    )
    const findings = [
      finding('survivors', 'a', [mutant('>= instead of >'), mutant('LEFT JOIN instead of JOIN')]),
      finding('empty', 'b'),
      finding('empty', 'a'),
    ]
    const judged = leaveOutIgnored(findings, ignored, true)
    expect(judged.ignored).toBe(2)
    expect(judged.stale).toEqual([])
    expect(judged.findings.map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([
      'survivors a',
      'empty a',
    ])
    expect(judged.findings[0]?.text).toBe('found, 1 of them ignored')
    expect(judged.findings[0]?.mutants?.map(({ words }) => words)).toEqual(['LEFT JOIN instead of JOIN'])
  })

  it('are gone where every mutant was judged, and out of date where nothing matches', () => {
    const judge = (words: string) =>
      ({ subject: 'a', kind: 'survivors', mutant: words, reason: 'same' }) as const
    const findings = [finding('survivors', 'a', [mutant('one'), mutant('two')])]
    expect(leaveOutIgnored(findings, [judge('one'), judge('two')], true).findings).toEqual([])
    const some = leaveOutIgnored(findings, [judge('three')], true)
    expect(some.findings).toEqual(findings)
    expect(some.stale.map((each) => each.mutant)).toEqual(['three'])
    // With a filter, the case of an entry may simply not have been audited.
    expect(leaveOutIgnored([], [judge('three')], false).stale).toEqual([])
  })

  it('are none without the file, or with an empty one', async () => {
    expect(await readIgnoredFindings(scratchFolder())).toEqual([])
    expect(await readIgnoredFindings(folderWith('# nothing yet\n'))).toEqual([])
  })

  it.each([
    ['ignore:\n  - { subject: a, kind: survivers, reason: x }\n', /autotest\.audit-ignore\.yaml:2:\d+/],
    ['ignore:\n  - { subject: a, kind: empty }\n', /reason/],
    ['ignored: []\n', /autotest\.audit-ignore\.yaml:1:1/],
    ['ignore: [\n', /autotest\.audit-ignore\.yaml:/],
  ])('are refused with their place where the file is wrong: %j', async (text, message) => {
    await expect(readIgnoredFindings(folderWith(text))).rejects.toThrow(message)
  })

  it('are named in the docs by every kind', () => {
    const docs = readFileSync('docs/audit.md', 'utf8')
    for (const kind of findingKinds) expect(docs).toContain(`\`${kind}\``)
  })
})
