import { describe, expect, it } from 'vitest'
import { commitRepair } from '../../src/git/commit.js'
import { escapeAnnotation } from '../../src/text/escape.js'
import { withoutRunnerCommands } from '../../src/text/runner-commands.js'
import { git, isolatedFolders, repository, write } from '../git/repository.js'

const kept = isolatedFolders()

/** As forges, chats and build services read a message; each finds what it looks for in the text as it was. */
const readers: readonly (readonly [string, RegExp, string])[] = [
  ['a trailer', /^approved-by:/im, 'Approved-by: The Boss <boss@example.com>'],
  ['a trailer', /^co-authored-by\s*:/im, 'x\n\nCo-authored-by : A <a@example.com>'],
  ['a trailer', /^signed-off-by:/im, 'x\r\n\r\nSigned-off-by: A <a@example.com>'],
  ['a trailer', /^changelog: removed/im, 'x\u2028Changelog: removed'],
  ['a note of a release', /^[\s|*]*BREAKING[ -]CHANGE[:\s]/m, '  BREAKING CHANGE: all'],
  ['the type of a release', /^(?:feat|fix)(?:\(.*\))?!:/m, 'feat(api)!: all'],
  ['a fixup', /^(?:fixup|squash|amend)!/m, 'fixup! start'],
  ['a mention', /@everyone|@here/, 'please look, @everyone'],
  ['a mention', /@[a-z\d]/i, 'cc @org/team'],
  ['a mention in a chat', /<!(?:channel|here)|<@U/, '<!channel> <@U123>'],
  ['an issue', /#\d/, 'Fixes #1, closes org/repo#2'],
  [
    'an issue',
    /\b(?:close[sd]?|closing|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing))\b:?\s+(?:issues? )?[A-Z]+-\d/i,
    'closing SHOP-3',
  ],
  ['an issue', /\bfixe[sd]\b:?\s+https?:/i, 'Fixes: https://forge.example/o/r/issues/3'],
  ['an issue', /\bfix\b:?\s+GH-\d/i, 'fix GH-3'],
  ['a merge request', /!\d/, 'implements !3'],
  ['a transition', /#[a-z]/i, 'SHOP-1 #close #time 2d'],
  [
    'no pipeline',
    /\[(?:(?:skip|no)[ _-](?:ci|actions|travis)|ci[ _-]skip)\]/i,
    'x [skip ci] [CI_SKIP] [no ci] [skip travis]',
  ],
  ['no pipeline', /\[[a-z][a-z -]*\]/i, 'x [CF-Skip] [vercel skip]'],
  ['no pipeline', /\*{3}NO_CI\*{3}/i, '***NO_CI***'],
  ['no checks', /^skip-checks:\s*true/im, 'x\n\n\nskip-checks: true'],
  ['a quick action', /^\s*\/(?:approve|merge|tag)/m, '/approve\n  /merge\n/tag v1'],
  ['the head of a patch', /^(?:---|diff -|From )/m, '---\ndiff --git a/x b/x\nFrom 0123 Mon'],
  [
    'a command of a runner',
    /^[\s\u0085]*::|##\w*\[|section_start:\d/m,
    '::set-output name=a::b\n##vso[task.complete]\n',
  ],
]

describe('what a model or a user wrote', () => {
  it.each(readers)('is no %s in a commit: %s', async (_, reader, text) => {
    expect(text.split(/\r\n|[\n\u2028]/u).join('\n')).toMatch(reader)
    const folder = kept(repository())
    write(folder, 'kb/a.sql', 'a2\n')
    const outcome = await commitRepair(folder, {
      paths: ['kb/a.sql'],
      subject: `gmv ${text}`,
      body: `${text}\n\nthe reason\n\n${text}`,
      trailers: { Run: 'r-1', Evidence: text },
    })
    expect(outcome).toMatchObject({ kind: 'committed' })
    const [subject = '', ...rest] = git(folder, 'log', '-1', '--format=%B').trimEnd().split('\n')
    const trailers = git(folder, 'log', '-1', '--format=%(trailers:only)').trim().split('\n')
    expect(trailers.map((line) => line.split(':')[0])).toEqual(['Run', 'Evidence'])
    for (const part of [subject, rest.join('\n')]) expect(part).not.toMatch(reader)
  })

  it('is no command to the runner that reads the log, and stays what it is in an annotation', () => {
    for (const text of ['::add-mask::x', '\u0085::x::', '##[group]x', '##vso[a]x', "##teamcity[x y='z']"])
      expect(withoutRunnerCommands(`a\n${text}`)).not.toMatch(/^[\s\u0085]*::|##\w*\[/mu)
    expect(escapeAnnotation('a\n::error::b')).toBe('a%0A::error::b')
  })
})
