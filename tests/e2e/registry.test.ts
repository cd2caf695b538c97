import { execFileSync } from 'node:child_process'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { needsPython } from '../needs.js'
import { autotest, removeFolders } from './sample.js'
import { readIn, rightSource, sourcePath, tddProject, writeIn } from './tdd-project.js'

afterAll(removeFolders)

const file = 'autotest.registry.json'
const registryOf = (root: string) => JSON.parse(readIn(root, file) ?? 'null')
const sync = (root: string) => autotest(root, ['registry', 'sync'])

describe('autotest registry', { ...needsPython, timeout: 120_000 }, () => {
  it('knows the tests that generate wrote, and changes with no run', async () => {
    const root = tddProject({ [sourcePath]: rightSource })
    await autotest(root, ['generate', `${sourcePath}::discount`])
    const { version, mappings } = registryOf(root)
    expect([version, Object.keys(mappings)]).toEqual([1, [`${sourcePath}::discount`]])
    expect(mappings[`${sourcePath}::discount`]).toMatchObject({
      testFile: expect.stringMatching(/^tests\/.*test_\w+\.py$/),
      testNames: expect.arrayContaining([expect.stringMatching(/^test_discount_/)]),
      generatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    const before = readIn(root, file)
    await sync(root)
    const again = readIn(root, file)
    await sync(root)
    expect(readIn(root, file)).toBe(again)
    expect(Object.keys(registryOf(root).mappings)).toEqual([
      `${sourcePath}::bigger`,
      `${sourcePath}::discount`,
    ])
    expect(JSON.parse(before ?? '').mappings[`${sourcePath}::discount`].generatedAt).toBe(
      registryOf(root).mappings[`${sourcePath}::discount`].generatedAt,
    )
  })

  it('finds a renamed function by its content, and drops one that is gone', async () => {
    const root = tddProject({ [sourcePath]: rightSource })
    await autotest(root, ['generate', `${sourcePath}::discount`])
    const { generatedAt } = registryOf(root).mappings[`${sourcePath}::discount`]
    writeIn(root, sourcePath, rightSource.replace('def discount', 'def reduced'))
    const { out } = await sync(root)
    expect(out).toContain(`renamed  ${sourcePath}::discount → ${sourcePath}::reduced`)
    expect(registryOf(root).mappings[`${sourcePath}::reduced`]).toMatchObject({ generatedAt })
    writeIn(root, sourcePath, 'x = 1\n')
    expect((await sync(root)).out).toContain(`removed  ${sourcePath}::reduced`)
  })

  it('merges in git where two branches add functions', async () => {
    const root = tddProject({
      [sourcePath]: rightSource,
      'src/shop/a.py': 'def first(x):\n    return x + 1\n',
      'src/shop/z.py': 'def last(x):\n    return x - 1\n',
    })
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    git('config', 'user.email', 'a@example.com')
    git('config', 'user.name', 'A')
    await sync(root)
    git('add', '-A')
    git('commit', '-qm', 'start')
    for (const [branch, target] of [
      ['one', 'src/shop/a.py::first'],
      ['two', 'src/shop/z.py::last'],
    ] as const) {
      git('checkout', '-q', '-b', branch, 'HEAD')
      await autotest(root, ['generate', target, '--seconds', '1'])
      git('add', '-A')
      git('commit', '-qm', branch)
      if (branch === 'one') git('checkout', '-q', '-')
    }
    git('merge', '-q', '--no-edit', 'one')
    expect(Object.keys(registryOf(root).mappings)).toEqual([
      'src/shop/a.py::first',
      `${sourcePath}::bigger`,
      'src/shop/z.py::last',
    ])
  })

  it('reads that of another program, and writes its own', async () => {
    const root = tddProject()
    writeIn(
      root,
      '.rora/registry.json',
      JSON.stringify({
        version: 1,
        mappings: {
          [`${sourcePath}::bigger`]: {
            testFile: 'tests/unit/test_bigger.py',
            testNames: ['test_bigger'],
            generatedAt: '2025-12-29T10:00:00Z',
            lastRun: { status: 'passed', runAt: '2025-12-29T10:05:00Z' },
          },
        },
      }),
    )
    expect((await autotest(root, ['registry'])).out).toBe(
      `${sourcePath}::bigger  tests/unit/test_bigger.py: 1 test\n`,
    )
    await sync(root)
    expect(registryOf(root).mappings[`${sourcePath}::bigger`].generatedAt).toBe('2025-12-29T10:00:00Z')
    rmSync(join(root, '.rora'), { recursive: true })
    expect((await sync(root)).out).toContain('unchanged')
  })

  it.each([
    ['no JSON', '{', /autotest\.registry\.json:\d+:\d+/],
    ['another version', '{"version": 2, "mappings": {}}', /autotest\.registry\.json:1:\d+/],
    ['an unfinished merge', '<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> b\n', /merge that was not finished/],
    [
      'a key that is no function',
      '{"version": 1, "mappings": {"x": {"testFile": "a", "testNames": []}}}',
      /autotest\.registry\.json:1:\d+ +`x`/,
    ],
  ])('with %s is an error with its place, and sync writes it anew', async (_what, text, said) => {
    const root = tddProject()
    writeIn(root, file, text)
    const { code, err } = await autotest(root, ['registry'])
    expect([code, err]).toEqual([2, expect.stringMatching(said)])
    expect((await sync(root)).code).toBe(0)
    expect(Object.keys(registryOf(root).mappings)).toEqual([`${sourcePath}::bigger`])
  })

  it('is written through no link', async () => {
    const root = tddProject()
    writeIn(root, 'elsewhere.json', '{"version": 1, "mappings": {}}')
    symlinkSync('elsewhere.json', join(root, file))
    expect((await sync(root)).code).toBe(2)
    expect(readIn(root, 'elsewhere.json')).toBe('{"version": 1, "mappings": {}}')
  })
})
