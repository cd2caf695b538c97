import { expect, it } from 'vitest'
import { resolveRunName } from '../../src/store/resolve-run.js'

const resolve = (name: string, ...ids: readonly string[]): string =>
  resolveRunName(name, 'runs.db', {
    recent: (count) => ids.toReversed().slice(0, count),
    idsWith: (prefix) => ids.filter((id) => id.startsWith(prefix)),
  })

it.each([
  ['last', 'r-b200'],
  ['last~0', 'r-b200'],
  ['last~1', 'r-a100'],
  ['previous', 'r-a100'],
  ['r-a1', 'r-a100'],
  ['a1', 'r-a100'],
  [' b2 ', 'r-b200'],
])('the run named %j is %s', (name, id) => {
  expect(resolve(name, 'r-a100', 'r-b200')).toBe(id)
})

it('a whole id is that run though others begin with it', () => {
  expect(resolve('r-a1', 'r-a1', 'r-a100')).toBe('r-a1')
})

it.each<[string, readonly string[], string]>([
  ['last', [], 'no runs yet'],
  ['previous', ['r-a100'], 'no run "previous"'],
  ['last~5', ['r-a100', 'r-b200'], 'no run "last~5"'],
  ['last~-1', ['r-a100'], 'no run "last~-1"'],
  ['a', ['r-a100', 'r-a200'], 'matches 2 runs'],
  ['c', ['r-a100'], 'no run "c"'],
])('the name %j among %j is refused: %s', (name, ids, message) => {
  expect(() => resolve(name, ...ids)).toThrow(message)
})
