import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { FileChange } from '../../src/edit/apply-edits.js'
import type { StepHook } from '../../src/edit/durable-file-system.js'
import { type Journal, openJournal } from '../../src/edit/journal.js'
import { scratchFolder } from './folder-tree.js'

/** The folder of the project. */
export let root = ''

/** Makes a project of two files for each test of the file, and removes it behind it. */
export function inTemporaryProject(): void {
  beforeEach(() => {
    root = scratchFolder('journal')
    mkdirSync(join(root, 'kb'))
    writeFileSync(join(root, 'kb/a.sql'), 'a1\r\n')
    writeFileSync(join(root, 'kb/b.sql'), 'b1')
    chmodSync(join(root, 'kb/a.sql'), 0o640)
  })
  afterEach(() => rmSync(root, { recursive: true }))
}

export function open(step?: StepHook): Promise<Journal> {
  return openJournal({
    root,
    allowedRoots: ['kb'],
    now: () => new Date('2025-12-31T10:12:03Z'),
    pid: 4121,
    step,
  })
}

export function change(path: string, before: string | null, after: string | null): FileChange {
  const bytes = (text: string | null) => (text === null ? null : new TextEncoder().encode(text))
  return { path, before: bytes(before), after: bytes(after) }
}

export const both = [
  change('kb/a.sql', 'a1\r\n', 'a2\r\n'),
  change('kb/b.sql', 'b1', 'b2'),
  change('kb/new/c.sql', null, 'c1'),
]

export function read(path: string): string {
  return readFileSync(join(root, path), 'latin1')
}

export function records(): string[] {
  return existsSync(join(root, '.autotest/journal')) ? readdirSync(join(root, '.autotest/journal')) : []
}

/** Fails every change of the disk from the nth on, as a process that is gone would. */
export function goneAfter(count: number): StepHook {
  let left = count
  return () => {
    if (left-- <= 0) throw new Error('gone')
  }
}

export async function writeTwice(): Promise<void> {
  const journal = await open()
  await journal.write('r-1', 'p1', both)
  await journal.write('r-1', 'p2', [change('kb/a.sql', 'a2\r\n', 'a3')])
}
