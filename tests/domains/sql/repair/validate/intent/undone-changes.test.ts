import { expect, it } from 'vitest'
import { undoneChanges } from '../../../../../../src/domains/sql/repair/validate/intent/undone-changes.js'

const tokens = (text: string): readonly string[] => text.match(/\w+|[^\s\w]+/gu) ?? []

/** The commits that a plan undoes, given the texts of the file, newest first, with the commits between them. */
function undone(planned: string, today: string, ...former: readonly (readonly [by: string, text: string])[]) {
  const versions = former.map(([by, text]) => ({ by, text }))
  return undoneChanges(today, planned, versions, tokens).map(({ by }) => by)
}

const [full, without] = ["WHERE a = 1 AND s = 'paid' AND d = 2", 'WHERE a = 1 AND d = 2']

it('are those that removed what the plan writes, at the same place', () => {
  expect(undone(full, without, ['drop', full])).toEqual(['drop'])
  expect(undone(full, without, ['other', `${without} ORDER BY 1`], ['drop', `${full} ORDER BY 1`])).toEqual([
    'drop',
  ])
})

it('are those that wrote what the plan removes', () => {
  expect(undone(without, full, ['add', without])).toEqual(['add'])
})

it('are those whose operator or kind of join the plan replaces, although no word comes or goes', () => {
  expect(undone('WHERE n < 5', 'WHERE n <= 5', ['boundary', 'WHERE n < 5'])).toEqual(['boundary'])
  expect(undone('a LEFT JOIN b', 'a JOIN b', ['join', 'a LEFT JOIN b'])).toEqual(['join'])
})

it('are those that removed what the plan writes at another place', () => {
  expect(undone("WHERE a = 1 AND d = 2 AND s = 'paid'", without, ['drop', full])).toEqual(['drop'])
  expect(undone('aliases: [b, c, a]', 'aliases: [b, c]', ['drop', 'aliases: [a, b, c]'])).toEqual(['drop'])
})

it('do not include a change elsewhere in the file, or one that only moved a comma', () => {
  expect(undone("WHERE a = 1 AND s = 'paid'", 'WHERE a = 1', ['elsewhere', 'SELECT x WHERE a = 1'])).toEqual(
    [],
  )
  expect(undone('aliases: [a, b]', 'aliases: [a]', ['c', 'aliases: [a, c]'])).toEqual([])
})

it('end at the newest change of a place: what an older one did there was decided again', () => {
  const found = undone("s = 'a'", "s = 'b'", ['second', "s = 'c'"], ['first', "s = 'a'"])
  expect(found).toEqual(['second'])
})

it('include the deletion of a file that the plan creates again', () => {
  const versions = [{ by: 'gone', text: full, isDeletion: true }]
  expect(undoneChanges('', full, versions, tokens).map(({ by }) => by)).toEqual(['gone'])
})
