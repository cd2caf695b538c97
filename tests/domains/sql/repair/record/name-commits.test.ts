import { expect, it } from 'vitest'
import { nameCommits } from '../../../../../src/domains/sql/repair/record/name-commits.js'
import { noHistory } from '../repair-in-memory.js'

const history = {
  ...noHistory,
  commitsOf: async (by: string) =>
    by === 'commit 1a2b3c4' ? [{ by, date: '2025-11-20', subject: 'tidy $& up' }] : [],
}
const named = (text: string): Promise<string> => nameCommits(text, { history })

it('a commit is named by date and subject where it is first mentioned', async () => {
  expect(await named('commit 1a2b3c4 removed "x" from a.sql; as it was before commit 1a2b3c4')).toBe(
    'commit 1a2b3c4 (2025-11-20, "tidy $& up") removed "x" from a.sql; as it was before commit 1a2b3c4',
  )
})

it('one that is named already, is unknown, or is no commit stays as it is', async () => {
  for (const text of [
    'commit 1a2b3c4 (2025-11-20) "tidy"',
    'commit 9999999 did',
    'commit to it',
    'an uncommitted change',
  ])
    expect(await named(text)).toBe(text)
  expect(await nameCommits('commit 1a2b3c4 did', {})).toBe('commit 1a2b3c4 did')
})
