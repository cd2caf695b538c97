import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { StepHook } from '../../src/edit/durable-file-system.js'
import { recoverUnfinishedWrites } from '../../src/edit/journal.js'
import { treeOf } from './folder-tree.js'
import {
  both,
  change,
  goneAfter,
  inTemporaryProject,
  open,
  read,
  records,
  root,
  writeTwice,
} from './journal-project.js'

inTemporaryProject()

describe('after a crash', () => {
  it('at any point of a write, and at any point of the recovery, the tree is as before or as after', async () => {
    const before = treeOf(root)
    await (await open()).write('r-1', 'p1', both)
    const after = treeOf(root)
    await crashEverywhere(before, [before, after], async (step) =>
      (await open(step)).write('r-1', 'p1', both),
    )
  })

  it('at any point of a revert, the tree is as the run left it or as before the run', async () => {
    const start = treeOf(root)
    await writeTwice()
    const written = treeOf(root)
    await crashEverywhere(
      start,
      [start, written],
      async (step) => void (await (await open(step)).revert('r-1')),
      async () => {
        await writeTwice()
        expect(treeOf(root)).toEqual(written)
      },
    )
  })

  it('a killed process leaves nothing that the next one does not put back', async () => {
    const before = treeOf(root)
    const points = 25
    const script = `
      import { openJournal } from ${JSON.stringify(new URL('../../build/modules/edit/journal.js', import.meta.url).href)}
      const [root, point] = process.argv.slice(1)
      let count = 0
      const step = () => { if (count++ === Number(point)) process.kill(process.pid, 'SIGKILL') }
      const bytes = (text) => new TextEncoder().encode(text)
      const journal = await openJournal({ root, allowedRoots: ['kb'], now: () => new Date(), pid: process.pid, step })
      await journal.write('r-1', 'p1', [
        { path: 'kb/a.sql', before: bytes('a1\\r\\n'), after: bytes('a2\\r\\n') },
        { path: 'kb/b.sql', before: bytes('b1'), after: bytes('b2') },
      ])`
    let whole = 0
    for (let point = 1; point < points; point += 2) {
      await reset(before)
      let killed = false
      try {
        execFileSync(process.execPath, ['--input-type=module', '-e', script, root, String(point)], {
          stdio: 'pipe',
        })
      } catch (error) {
        killed = true
        expect(error).toMatchObject({ signal: 'SIGKILL' })
      }
      await recoverUnfinishedWrites(root)
      if (read('kb/a.sql') === 'a2\r\n') {
        whole++
        expect(read('kb/b.sql')).toBe('b2')
      } else {
        expect(killed).toBe(true)
        expect(treeOf(root)).toEqual(before)
      }
    }
    expect(whole).toBeGreaterThan(0)
    expect(whole).toBeLessThan(points / 2 - 1)
  })

  it('recovery says what it put back', async () => {
    await crashAfterRename('a.sql')
    expect(read('kb/a.sql')).toBe('a2\r\n')
    expect(await recoverUnfinishedWrites(root)).toEqual([
      { runId: 'r-1', repairId: 'p1', restored: ['kb/a.sql'] },
    ])
    expect([read('kb/a.sql'), records()]).toEqual(['a1\r\n', []])
  })

  it('a file that a person edited meanwhile stops the recovery, touches nothing and keeps the record', async () => {
    await crashAfterRename('b.sql')
    writeFileSync(join(root, 'kb/b.sql'), 'mine')
    await expect(recoverUnfinishedWrites(root)).rejects.toMatchObject({
      code: 'journal_conflict',
      message: expect.stringContaining('kb/b.sql'),
      hint: expect.stringContaining('000001.intent.json'),
    })
    expect([read('kb/a.sql'), read('kb/b.sql'), records()]).toEqual([
      'a2\r\n',
      'mine',
      ['000001.intent.json'],
    ])
  })

  it('nothing is written before the recovery', async () => {
    await crashAfterRename('a.sql')
    await expect((await open()).write('r-2', 'p1', [change('kb/b.sql', 'b1', 'x')])).rejects.toMatchObject({
      code: 'journal_conflict',
    })
  })

  it('a record that cannot be read is named', async () => {
    mkdirSync(join(root, '.autotest/journal'), { recursive: true })
    writeFileSync(join(root, '.autotest/journal/000001.intent.json'), '{')
    await expect(recoverUnfinishedWrites(root)).rejects.toMatchObject({
      code: 'journal_conflict',
      message: expect.stringContaining('000001'),
    })
  })

  it.each<[string, object]>([
    [
      'a file outside',
      { files: [{ path: '../x.sql', mode: null, before: null, beforeHash: null, afterHash: 'x' }] },
    ],
    ['a folder outside', { makes: ['../x'] }],
    ['another record outside', { undoes: ['../../../x'] }],
  ])('a record that someone else put there cannot reach %s', async (_name, part) => {
    mkdirSync(join(root, '.autotest/journal'), { recursive: true })
    const base = {
      version: 1,
      id: '000001',
      runId: 'r',
      repairId: 'p',
      writtenAt: '',
      pid: 1,
      undoes: null,
      makes: [],
      removes: [],
      files: [],
    }
    const path = join(root, '.autotest/journal/000001.intent.json')
    writeFileSync(path, JSON.stringify(base))
    expect(await recoverUnfinishedWrites(root)).toEqual([{ runId: 'r', repairId: 'p', restored: [] }])
    writeFileSync(path, JSON.stringify({ ...base, ...part }))
    await expect(recoverUnfinishedWrites(root)).rejects.toMatchObject({ code: 'journal_conflict' })
  })

  it('where there is no journal there is nothing to do and nothing is made', async () => {
    expect(await recoverUnfinishedWrites(root)).toEqual([])
    expect(existsSync(join(root, '.autotest'))).toBe(false)
  })

  async function crashAfterRename(name: string): Promise<void> {
    let gone = false
    const journal = await open((step, path) => {
      if (gone) throw new Error('gone')
      if (
        step === 'sync folder' &&
        path.endsWith('kb') &&
        read(`kb/${name}`) === `${name[0]}2${name === 'a.sql' ? '\r\n' : ''}`
      ) {
        gone = true
        throw new Error('gone')
      }
    })
    await expect(journal.write('r-1', 'p1', both.slice(0, 2))).rejects.toMatchObject({ code: 'write_failed' })
  }
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

/** Ends `act` at each of its steps, and the recovery after it at each of its own; then recovers for good. */
async function crashEverywhere(
  start: Record<string, string>,
  allowed: readonly Record<string, string>[],
  act: (step: StepHook) => Promise<void>,
  arrange: () => Promise<void> = async () => undefined,
): Promise<void> {
  const seen = new Set<number>()
  for (let point = 0, running = true; running; point++) {
    for (let second = 0, recovering = true; recovering; second++) {
      await reset(start)
      await arrange()
      running = await isCut(() => act(goneAfter(point)))
      recovering = await isCut(() => recoverUnfinishedWrites(root, goneAfter(second)))
      await recoverUnfinishedWrites(root)
      const tree = treeOf(root)
      const index = allowed.findIndex((expected) => JSON.stringify(expected) === JSON.stringify(tree))
      expect({ point, second, tree: index === -1 ? tree : 'allowed' }).toEqual({
        point,
        second,
        tree: 'allowed',
      })
      expect(records().every((name) => name.endsWith('.done.json'))).toBe(true)
      seen.add(index)
    }
  }
  expect([...seen].sort()).toEqual([0, 1])
}

async function isCut(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act()
    return false
  } catch (error) {
    expect(String(error)).toMatch(/gone/)
    return true
  }
}
