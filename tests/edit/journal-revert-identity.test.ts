import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openJournal } from '../../src/edit/journal.js'
import { scratchFolder, treeOf } from './folder-tree.js'

const bytes = (text: string, encoding: 'utf8' | 'latin1' = 'utf8'): Uint8Array =>
  Uint8Array.from(Buffer.from(text, encoding))

/** Bytes as knowledge bases hold them, and any others. */
const content = fc
  .record({
    mark: fc.constantFrom('', '\ufeff'),
    lines: fc.array(fc.constantFrom('SELECT 1', "WHERE a = 'é'", '', '  # x: y', '日次'), { maxLength: 4 }),
    lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
    closed: fc.boolean(),
  })
  .map(({ mark, lines, lineEnd, closed }) => bytes(mark + lines.join(lineEnd) + (closed ? lineEnd : '')))
const anything = fc.oneof(content, fc.constant(bytes('caf\xe9', 'latin1')), fc.uint8Array({ maxLength: 40 }))

const file = fc.record({
  before: fc.option(anything),
  after: fc.option(anything),
  mode: fc.constantFrom(0o644, 0o600, 0o755, 0o664),
  folder: fc.constantFrom('kb', 'kb/deep', 'kb/deep/er'),
})

describe('what the journal wrote', () => {
  it('reverted gives back every byte, mode and folder, whatever the encoding and the line ends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 4 }), async (files) => {
        const root = scratchFolder('identity')
        mkdirSync(join(root, 'kb'))
        const named = files.map((each, index) => ({ ...each, path: `${each.folder}/f${index}.sql` }))
        for (const { path, folder, before, mode } of named) {
          if (before === null) continue
          mkdirSync(join(root, folder), { recursive: true })
          writeFileSync(join(root, path), before)
          chmodSync(join(root, path), mode)
        }
        const changes = named.filter(
          ({ before, after }) => Buffer.compare(before ?? bytes('-'), after ?? bytes('-')) !== 0,
        )
        fc.pre(changes.length > 0)
        const start = treeOf(root)
        const journal = await openJournal({
          root,
          allowedRoots: ['kb'],
          now: () => new Date('2025-12-31T10:12:03Z'),
          pid: 4121,
        })
        await journal.write('r-1', 'p1', changes)
        for (const { path, after } of changes)
          expect(treeOf(root)[path]?.replace(/^\d+ /, '')).toBe(
            after === null ? undefined : Buffer.from(after).toString('latin1'),
          )
        await journal.revert('r-1')
        expect(treeOf(root)).toEqual(start)
        rmSync(root, { recursive: true })
      }),
      { numRuns: 60 },
    )
  }, 60_000)
})
