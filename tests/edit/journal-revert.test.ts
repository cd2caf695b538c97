import { existsSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { restoreFiles } from '../../src/edit/journal.js'
import { treeOf } from './folder-tree.js'
import { both, change, inTemporaryProject, open, read, records, root, writeTwice } from './journal-project.js'

inTemporaryProject()

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
