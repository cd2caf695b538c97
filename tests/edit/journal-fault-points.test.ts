import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FileChange } from '../../src/edit/apply-edits.js'
import { openJournal, recoverUnfinishedWrites } from '../../src/edit/journal.js'
import { AutotestError } from '../../src/errors.js'
import { DurableTree, losses } from './durable-tree.js'
import { scratchFolder, treeOf } from './folder-tree.js'
import { type Call, tracingFileSystem } from './traced-fs.js'

type Tree = Record<string, string>

const changes: FileChange[] = [
  { path: 'kb/a.sql', before: Buffer.from('a1\r\n'), after: Buffer.from('a2\r\n') },
  { path: 'kb/b.sql', before: Buffer.from('caf\xe9', 'latin1'), after: null },
  { path: 'kb/new/c.sql', before: null, after: Buffer.from('\ufeffc') },
]

function arranged(): string {
  const root = scratchFolder('points')
  mkdirSync(join(root, 'kb'))
  writeFileSync(join(root, 'kb/a.sql'), 'a1\r\n')
  writeFileSync(join(root, 'kb/b.sql'), 'caf\xe9', 'latin1')
  chmodSync(join(root, 'kb/a.sql'), 0o640)
  return root
}

const open = (root: string) =>
  openJournal({ root, allowedRoots: ['kb'], now: () => new Date('2025-12-31T10:12:03Z'), pid: 4121 })
const apply = async (root: string) => (await open(root)).write('r-1', 'p1', changes)
const revert = async (root: string) => void (await (await open(root)).revert('r-1'))

/** What is done to a project, what comes before it, and the calls to the file system that it takes. */
const acts = [
  { name: 'apply', prepare: async () => undefined, act: apply },
  { name: 'revert', prepare: apply, act: revert },
  {
    name: 'recovery',
    prepare: async (root: string) => {
      let renames = 0
      const cut = ({ name, path }: Call) => {
        if (name === 'rename' && path.includes('/kb/') && renames++ === 1) throw new Gone()
        if (renames > 1) throw new Gone()
      }
      await expect(tracingFileSystem({ before: cut }, () => apply(root))).rejects.toThrow()
    },
    act: async (root: string) => void (await recoverUnfinishedWrites(root)),
  },
] as const

class Gone extends Error {}

async function edges(): Promise<{ before: Tree; after: Tree }> {
  const root = arranged()
  const before = treeOf(root)
  await apply(root)
  const after = treeOf(root)
  rmSync(root, { recursive: true })
  return { before, after }
}

function isOneOf(tree: Tree, allowed: readonly Tree[]): boolean {
  return allowed.some((each) => JSON.stringify(each) === JSON.stringify(tree))
}

describe.each(acts)('$name', ({ name, prepare, act }) => {
  it('a power cut behind any call leaves the tree before or after, whatever was not synced', async () => {
    const { before, after } = await edges()
    const root = arranged()
    await prepare(root)
    const disk = new DurableTree(root)
    const images: { at: string; root: string }[] = []
    await tracingFileSystem(
      {
        after: (call) => {
          disk.apply(call)
          for (const loss of losses) {
            const image = scratchFolder('image')
            disk.writeTo(image, loss)
            images.push({ at: `${images.length} ${call.name} ${JSON.stringify(loss)}`, root: image })
          }
        },
      },
      () => act(root),
    )
    for (const { at, root: image } of images) {
      await recoverUnfinishedWrites(image)
      const tree = treeOf(image)
      expect({ at, tree: isOneOf(tree, [before, after]) ? 'allowed' : tree }).toEqual({ at, tree: 'allowed' })
      rmSync(image, { recursive: true })
    }
    rmSync(root, { recursive: true })
    expect(images.length).toBeGreaterThan(name === 'recovery' ? 100 : 200)
  }, 60_000)

  it.each(['ENOSPC', 'EIO'])(
    '%s at any call ends in a clear error and a tree before or after',
    async (code) => {
      const { before, after } = await edges()
      const allowed = [before, after]
      let failed = 0
      for (let point = 0, reached = true; reached; point++) {
        for (const lasting of [false, true]) {
          const root = arranged()
          await prepare(root)
          let count = 0
          let where = ''
          const fail = (call: Call) => {
            if (count++ !== point && !(lasting && count > point)) return
            where = where || call.name
            throw Object.assign(new Error(`${code}: ${call.name} '${call.path}'`), { code, path: call.path })
          }
          const outcome = await tracingFileSystem({ before: fail }, () => act(root)).then(
            () => undefined,
            (error: unknown) => error,
          )
          reached = where !== ''
          if (outcome !== undefined) failed++
          await recoverUnfinishedWrites(root)
          const tree = treeOf(root)
          expect({ point, where, lasting, tree: isOneOf(tree, allowed) ? 'allowed' : tree }).toEqual({
            point,
            where,
            lasting,
            tree: 'allowed',
          })
          if (outcome instanceof AutotestError) expect(outcome.hint).toBeDefined()
          rmSync(root, { recursive: true })
        }
      }
      expect(failed).toBeGreaterThan(20)
    },
    60_000,
  )
})
