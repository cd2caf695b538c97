import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FileChange } from '../../src/edit/apply.js'
import type { StepHook } from '../../src/edit/durable-file-system.js'
import { type Journal, openJournal, recoverUnfinishedWrites, restoreFiles } from '../../src/edit/journal.js'
import { scratchFolder, treeOf } from './folder-tree.js'

let root = ''
beforeEach(() => {
  root = scratchFolder('journal')
  mkdirSync(join(root, 'kb'))
  writeFileSync(join(root, 'kb/a.sql'), 'a1\r\n')
  writeFileSync(join(root, 'kb/b.sql'), 'b1')
  chmodSync(join(root, 'kb/a.sql'), 0o640)
})
afterEach(() => rmSync(root, { recursive: true }))

function open(step?: StepHook): Promise<Journal> {
  return openJournal({
    root,
    allowedRoots: ['kb'],
    now: () => new Date('2025-12-31T10:12:03Z'),
    pid: 4121,
    step,
  })
}

function change(path: string, before: string | null, after: string | null): FileChange {
  const bytes = (text: string | null) => (text === null ? null : new TextEncoder().encode(text))
  return { path, before: bytes(before), after: bytes(after) }
}

const both = [
  change('kb/a.sql', 'a1\r\n', 'a2\r\n'),
  change('kb/b.sql', 'b1', 'b2'),
  change('kb/new/c.sql', null, 'c1'),
]

function read(path: string): string {
  return readFileSync(join(root, path), 'latin1')
}

function records(): string[] {
  return existsSync(join(root, '.autotest/journal')) ? readdirSync(join(root, '.autotest/journal')) : []
}

/** Fails every change of the disk from the nth on, as a process that is gone would. */
function goneAfter(count: number): StepHook {
  let left = count
  return () => {
    if (left-- <= 0) throw new Error('gone')
  }
}

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

describe('revert', () => {
  it('restores the bytes, the modes and the absence of files and folders from before the run', async () => {
    const before = treeOf(root)
    await writeTwice()
    expect(await (await open()).revert('r-1')).toEqual(['kb/a.sql', 'kb/b.sql', 'kb/new/c.sql'])
    expect([treeOf(root), records()]).toEqual([before, []])
  })

  it('of one repair leaves the others', async () => {
    const journal = await open()
    await journal.write('r-1', 'p1', [change('kb/a.sql', 'a1\r\n', 'a2\r\n')])
    await journal.write('r-1', 'p2', [change('kb/b.sql', 'b1', 'b2')])
    expect(await journal.revert('r-1', 'p1')).toEqual(['kb/a.sql'])
    expect([read('kb/a.sql'), read('kb/b.sql')]).toEqual(['a1\r\n', 'b2'])
    expect((await journal.entriesOf('r-1')).map((entry) => entry.repairId)).toEqual(['p2'])
  })

  it('is refused, touching nothing, where a person changed a file since', async () => {
    await writeTwice()
    writeFileSync(join(root, 'kb/b.sql'), 'mine')
    const before = treeOf(root)
    await expect((await open()).revert('r-1')).rejects.toMatchObject({
      code: 'journal_conflict',
      message: expect.stringContaining('kb/b.sql'),
    })
    expect(treeOf(root)).toEqual(before)
  })

  it('of a repair is refused where a later one changed the same file, which it names', async () => {
    await writeTwice()
    const journal = await open()
    await expect(journal.revert('r-1', 'p1')).rejects.toMatchObject({
      code: 'journal_conflict',
      hint: expect.stringContaining('Revert p2 first'),
    })
    expect(await journal.revert('r-1', 'p2')).toEqual(['kb/a.sql'])
    expect(await journal.revert('r-1', 'p1')).toHaveLength(3)
    expect(read('kb/a.sql')).toBe('a1\r\n')
  })

  it('of a run that wrote nothing says so', async () => {
    await expect((await open()).revert('r-9')).rejects.toMatchObject({ code: 'run_unknown' })
  })

  it('is no longer possible once the run is settled, and other runs stay', async () => {
    const journal = await open()
    await journal.write('r-1', 'p1', [change('kb/a.sql', 'a1\r\n', 'a2\r\n')])
    await journal.write('r-2', 'p1', [change('kb/b.sql', 'b1', 'b2')])
    await journal.settle('r-1')
    await expect(journal.revert('r-1')).rejects.toMatchObject({ code: 'run_unknown' })
    expect(await journal.entriesOf('r-2')).toEqual([
      {
        repairId: 'p1',
        writtenAt: '2025-12-31T10:12:03.000Z',
        path: 'kb/b.sql',
        before: new TextEncoder().encode('b1'),
      },
    ])
  })
})

describe('restore', () => {
  it('puts back bytes that the caller kept, and leaves files that are back already', async () => {
    await (await open()).write('r-1', 'p1', both)
    writeFileSync(join(root, 'kb/b.sql'), 'b1')
    expect(await restoreFiles(root, both)).toEqual(['kb/a.sql', 'kb/new/c.sql'])
    expect([read('kb/a.sql'), read('kb/b.sql'), existsSync(join(root, 'kb/new/c.sql'))]).toEqual([
      'a1\r\n',
      'b1',
      false,
    ])
    expect(records()).toEqual(['000001.done.json'])
  })

  it('undoes several changes of a file, whichever of them was the last to be written', async () => {
    const changes = [...both, change('kb/a.sql', 'a2\r\n', 'a3')]
    await writeTwice()
    expect(await restoreFiles(root, changes)).toEqual(['kb/a.sql', 'kb/b.sql', 'kb/new/c.sql'])
    expect(read('kb/a.sql')).toBe('a1\r\n')
    writeFileSync(join(root, 'kb/a.sql'), 'a2\r\n')
    expect(await restoreFiles(root, changes)).toEqual(['kb/a.sql'])
    expect(read('kb/a.sql')).toBe('a1\r\n')
  })

  it('is refused, touching nothing, where a file was changed since', async () => {
    await (await open()).write('r-1', 'p1', both)
    unlinkSync(join(root, 'kb/new/c.sql'))
    writeFileSync(join(root, 'kb/b.sql'), 'mine')
    await expect(restoreFiles(root, both)).rejects.toMatchObject({
      code: 'journal_conflict',
      message: expect.stringContaining('kb/b.sql'),
    })
    expect(read('kb/a.sql')).toBe('a2\r\n')
  })
})

async function writeTwice(): Promise<void> {
  const journal = await open()
  await journal.write('r-1', 'p1', both)
  await journal.write('r-1', 'p2', [change('kb/a.sql', 'a2\r\n', 'a3')])
}

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
