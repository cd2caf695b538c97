import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { diffSnapshots } from '../../src/snapshot/diff.js'
import { createSnapshot } from '../../src/snapshot/snapshot.js'

function snapshotOf(files: Record<string, string | Buffer>) {
  return createSnapshot(new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)])))
}

const ten = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join('')

it('a changed line is shown with three lines around it and its line numbers', () => {
  const [file, ...others] = diffSnapshots(
    snapshotOf({ 'kb/a.sql': ten, 'kb/same.sql': 'x' }),
    snapshotOf({ 'kb/a.sql': ten.replace('line 5\n', 'line five\nand more\n'), 'kb/same.sql': 'x' }),
  )
  expect(others).toEqual([])
  expect(file).toMatchObject({ path: 'kb/a.sql', added: 2, removed: 1 })
  expect(file?.patch).toBe(
    '--- a/kb/a.sql\n+++ b/kb/a.sql\n@@ -2,7 +2,8 @@\n line 2\n line 3\n line 4\n-line 5\n+line five\n+and more\n line 6\n line 7\n line 8\n',
  )
  expect(file?.lines.slice(2, 7)).toEqual([
    { kind: 'context', text: 'line 4', oldLine: 4, newLine: 4 },
    { kind: 'removed', text: 'line 5', oldLine: 5 },
    { kind: 'added', text: 'line five', newLine: 5 },
    { kind: 'added', text: 'and more', newLine: 6 },
    { kind: 'context', text: 'line 6', oldLine: 6, newLine: 7 },
  ])
})

it('a missing final newline is no line of its own', () => {
  const [file] = diffSnapshots(snapshotOf({ a: 'x' }), snapshotOf({ a: 'x\n' }))
  expect(file).toMatchObject({ added: 1, removed: 1 })
  expect(file?.patch).toContain('\\ No newline at end of file')
})

it('equal snapshots have no differences', () => {
  expect(diffSnapshots(snapshotOf({ a: 'x' }), snapshotOf({ a: 'x' }))).toEqual([])
})

it.each<[string, Record<string, string>, Record<string, string>]>([
  ['a new file', { x: '1\n' }, { x: '1\n', 'kb/new.sql': 'a\nb\n' }],
  ['a removed file', { x: '1\n', 'kb/old.sql': 'a\n' }, { x: '1\n' }],
  ['CRLF and no final newline', { 'kb/a.sql': 'a\r\nb\r\nc' }, { 'kb/a.sql': 'a\r\nB\r\nc\r\nd' }],
  ['a name with spaces', { 'kb/my file.sql': 'a\n' }, { 'kb/my file.sql': 'b\n' }],
  ['a name with accents', { 'kb/métriques.sql': 'a\n' }, { 'kb/métriques.sql': 'b\n' }],
  ['a byte order mark', { a: '\ufeffa\n' }, { a: '\ufeffb\n' }],
  ['lines that look like headers', { a: '-- x\n++ y\n' }, { a: '-- z\n++ y\n' }],
])('the patch is one that git applies: %s', (_name, before, after) => {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-diff-'))
  try {
    for (const [path, text] of Object.entries(before)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const patch = diffSnapshots(snapshotOf(before), snapshotOf(after)).map((file) => file.patch)
    execFileSync('git', ['apply', '-'], { cwd: folder, input: patch.join('') })
    for (const [path, text] of Object.entries(after))
      expect(readFileSync(join(folder, path), 'utf8')).toBe(text)
    for (const path of Object.keys(before)) {
      if (after[path] === undefined) expect(() => readFileSync(join(folder, path))).toThrowError(/ENOENT/)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('a file that is not UTF-8 shows what changed', () => {
  const [file] = diffSnapshots(
    snapshotOf({ a: Buffer.from('caf\xe9 1\n', 'latin1') }),
    snapshotOf({ a: Buffer.from('caf\xe9 2\n', 'latin1') }),
  )
  expect(file?.lines.map((line) => line.text)).toEqual(['café 1', 'café 2'])
})
