import { expect, it } from 'vitest'
import { formerVersions } from '../../src/git/former-versions.js'
import { git, isolatedFolders, repository, write } from './repository.js'

const made = isolatedFolders()

it('are what a file held before each change that took something out of it, newest first', async () => {
  const root = made(repository({ 'benchmarks/é.yaml': 'one\n', 'benchmarks/other.yaml': 'x\n' }))
  const commit = (path: string, text: string): string => {
    write(root, path, text)
    git(root, 'commit', '--quiet', '--all', '--message', 'change')
    return git(root, 'rev-parse', '--short', 'HEAD').trim()
  }
  const second = commit('benchmarks/é.yaml', 'two\n')
  commit('benchmarks/é.yaml', 'two\nand more\n')
  commit('benchmarks/other.yaml', 'y\n')
  write(root, 'benchmarks/é.yaml', 'three\nand more\n')
  expect(await formerVersions(root, 'benchmarks/é.yaml')).toEqual([
    { text: 'two\nand more\n', by: 'an uncommitted change' },
    { text: 'one\n', by: `commit ${second}` },
  ])
})

it('of a project below the root of its repository are found there', async () => {
  const folder = made(repository({ 'p/b.yaml': 'one\n', 'b.yaml': 'x\n' }))
  write(folder, 'p/b.yaml', 'two\n')
  expect(await formerVersions(`${folder}/p`, 'b.yaml')).toEqual([
    { text: 'one\n', by: 'an uncommitted change' },
  ])
})
