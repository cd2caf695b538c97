import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { StepHook } from '../../src/edit/durable-file-system.js'
import { treeOf } from './folder-tree.js'
import { both, change, inTemporaryProject, open, read, records, root } from './journal-project.js'

inTemporaryProject()

describe('write', () => {
  it('changes files, makes new ones with their folders and keeps modes', async () => {
    await (await open()).write('r-1', 'p1', both)
    expect(treeOf(root)).toMatchObject({ 'kb/a.sql': '640 a2\r\n', 'kb/new/': '' })
    expect([read('kb/b.sql'), read('kb/new/c.sql')]).toEqual(['b2', 'c1'])
  })

  it('leaves no other file in the knowledge base', async () => {
    await (await open()).write('r-1', 'p1', both)
    expect(Object.keys(treeOf(root))).toEqual(['kb/', 'kb/a.sql', 'kb/b.sql', 'kb/new/', 'kb/new/c.sql'])
  })

  it('keeps its own folder out of git and away from other people', async () => {
    await (await open()).write('r-1', 'p1', both)
    execFileSync('git', ['init', '-q'], { cwd: root })
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })).toBe('?? kb/\n')
    expect(statSync(join(root, '.autotest/journal/000001.done.json')).mode & 0o777).toBe(0o600)
  })

  it('refuses, writing nothing, where a person edited a file meanwhile', async () => {
    writeFileSync(join(root, 'kb/b.sql'), 'mine')
    const before = treeOf(root)
    await expect((await open()).write('r-1', 'p1', both)).rejects.toMatchObject({
      code: 'journal_conflict',
      message: expect.stringContaining('kb/b.sql'),
    })
    expect(treeOf(root)).toEqual(before)
  })

  it('refuses where a new file appeared meanwhile', async () => {
    mkdirSync(join(root, 'kb/new'))
    writeFileSync(join(root, 'kb/new/c.sql'), 'mine')
    await expect((await open()).write('r-1', 'p1', both)).rejects.toMatchObject({ code: 'journal_conflict' })
    expect(read('kb/a.sql')).toBe('a1\r\n')
  })

  it('puts everything back where a person saves a file in the middle of it', async () => {
    const journal = await open((name, path) => {
      if (name === 'rename' && path.endsWith('a.sql')) writeFileSync(join(root, 'kb/b.sql'), 'mine')
    })
    await expect(journal.write('r-1', 'p1', both)).rejects.toMatchObject({ code: 'journal_conflict' })
    expect(Object.keys(treeOf(root))).toEqual(['kb/', 'kb/a.sql', 'kb/b.sql'])
    expect([read('kb/a.sql'), read('kb/b.sql')]).toEqual(['a1\r\n', 'mine'])
    expect(records()).toEqual([])
  })

  it.each(['../x.sql', 'data/x.sql', 'kb/.git/x.sql', 'kb/x.js'])('refuses the path %s', async (path) => {
    await expect((await open()).write('r-1', 'p1', [change(path, null, 'x')])).rejects.toMatchObject({
      code: 'path_refused',
    })
    expect(records()).toEqual([])
  })

  it('refuses a link, whose target stays as it was', async () => {
    symlinkSync('a.sql', join(root, 'kb/link.sql'))
    await expect(
      (await open()).write('r-1', 'p1', [change('kb/link.sql', 'a1\r\n', 'x')]),
    ).rejects.toMatchObject({ code: 'path_refused' })
    expect(read('kb/a.sql')).toBe('a1\r\n')
  })

  it('refuses a journal folder that is a link', async () => {
    symlinkSync('/tmp', join(root, '.autotest'))
    await expect((await open()).write('r-1', 'p1', both)).rejects.toMatchObject({ code: 'write_failed' })
    expect(read('kb/a.sql')).toBe('a1\r\n')
  })

  it.each([
    ['file', 'kb/b.sql', 0o444],
    ['folder', 'kb', 0o555],
  ])('a read-only %s is named and nothing is written', async (_name, path, mode) => {
    const before = statSync(join(root, path)).mode
    chmodSync(join(root, path), mode)
    await expect((await open()).write('r-1', 'p1', both)).rejects.toMatchObject({
      code: 'write_failed',
      message: expect.stringContaining(`${path} is read-only`),
    })
    chmodSync(join(root, path), before)
    expect([read('kb/a.sql'), read('kb/b.sql'), records()]).toEqual(['a1\r\n', 'b1', []])
  })

  it('a full disk at any point leaves every file as it was and says so', async () => {
    const before = treeOf(root)
    const total = await countSteps((step) => open(step).then((journal) => journal.write('r-1', 'p1', both)))
    expect(total).toBeGreaterThan(15)
    for (let full = 0; full < total; full++) {
      await reset(before)
      let count = 0
      const journal = await open((name) => {
        if (count++ === full) throw Object.assign(new Error(`ENOSPC: ${name}`), { code: 'ENOSPC' })
      })
      await expect(journal.write('r-1', 'p1', both)).rejects.toMatchObject({ code: 'write_failed' })
      expect({ full, tree: treeOf(root), records: records() }).toEqual({ full, tree: before, records: [] })
    }
  })

  it('syncs the intent before a file is touched, and every file with its folder before the write is done', async () => {
    const steps: string[] = []
    const journal = await open((name, path) => void steps.push(`${name} ${path.slice(root.length + 1)}`))
    await journal.write('r-1', 'p1', both.slice(0, 1))
    expect(steps.filter((step) => !step.includes('folder .autotest') && !step.endsWith('folder '))).toEqual([
      'create .autotest/journal/000001.tmp',
      'write .autotest/journal/000001.tmp',
      'sync .autotest/journal/000001.tmp',
      'rename .autotest/journal/000001.intent.json',
      'create kb/.autotest-000001-4121-0.tmp',
      'write kb/.autotest-000001-4121-0.tmp',
      'sync kb/.autotest-000001-4121-0.tmp',
      'rename kb/a.sql',
      'sync folder kb',
      'rename .autotest/journal/000001.done.json',
    ])
    expect(steps.filter((step) => step === 'sync folder .autotest/journal')).toHaveLength(2)
    expect(steps.indexOf('sync folder .autotest/journal')).toBeLessThan(
      steps.findIndex((step) => step.startsWith('create kb')),
    )
    expect(steps.at(-1)).toBe('sync folder .autotest/journal')
  })
})

async function reset(tree: Record<string, string>): Promise<void> {
  rmSync(join(root, '.autotest'), { recursive: true, force: true })
  rmSync(join(root, 'kb'), { recursive: true })
  for (const [path, content] of Object.entries(tree)) {
    if (path.endsWith('/')) {
      mkdirSync(join(root, path))
      continue
    }
    const [mode = '', ...rest] = content.split(' ')
    writeFileSync(join(root, path), rest.join(' '), 'latin1')
    chmodSync(join(root, path), Number.parseInt(mode, 8))
  }
}

async function countSteps(act: (step: StepHook) => Promise<unknown>): Promise<number> {
  let count = 0
  await act(() => {
    count++
  })
  return count
}
