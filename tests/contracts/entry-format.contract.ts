import { describe, expect, it } from 'vitest'
import { entryFormats } from '../../src/kb/all-formats.js'
import { applyRegionEdits } from '../../src/kb/entries/apply-region-edit.js'
import type { KnowledgeEntry } from '../../src/kb/entries/entry-format.js'
import { type Entries, openEntries } from '../../src/kb/entries/open-entries.js'
import { createSnapshot, readText, type Snapshot } from '../../src/snapshot/snapshot.js'

/** What a suite saw of one file. */
export interface FileFigures {
  readonly entries: number
  readonly edited: number
  readonly refused: number
  readonly skipped: number
}

export function open(snapshot: Snapshot, format = 'auto'): Entries {
  return openEntries(snapshot, [{ path: '.', format }], entryFormats)
}

export function snapshotOf(files: Readonly<Record<string, string | Uint8Array>>): Snapshot {
  const bytes = Object.entries(files).map(
    ([path, text]) => [path, typeof text === 'string' ? new TextEncoder().encode(text) : text] as const,
  )
  return createSnapshot(new Map(bytes))
}

/**
 * What every format promises of a file: places that are in order, edits that mean what was asked and change nothing else, the same
 * bytes after they are taken back, and files without an entry that still hold the others. Returns what it saw.
 */
export function checkFile(snapshot: Snapshot, path: string, most = Number.POSITIVE_INFINITY): FileFigures {
  const file = readText(snapshot, path) ?? ''
  const opened = open(snapshot)
  const { entries } = opened
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length)
  let end = 0
  for (const { span, line } of entries) {
    expect(span.start).toBeGreaterThanOrEqual(end)
    expect(line).toBe(file.slice(0, span.start).split('\n').length)
    end = span.end
  }
  let edited = 0
  let refused = 0
  for (const entry of entries.slice(0, most)) {
    const left = open(opened.without(new Set([entry.id]))).entries
    const rest = textsOf(left)
    // Without a line between them, two paragraphs are one.
    const kept = entry.kind === 'prose' ? left.filter(({ kind }) => kind !== 'prose') : left
    expect(notIn(textsOf(kept), textsOf(entries))).toEqual([])
    expect(rest.filter((text) => text === entry.text).length).toBeLessThan(
      textsOf(entries).filter((text) => text === entry.text).length,
    )
    if (entry.readOnly !== undefined) continue
    const changed = changedText(entry)
    let edit: ReturnType<Entries['encode']>
    try {
      edit = opened.encode(entry, changed)
    } catch (error) {
      expect(error).toMatchObject({ code: 'edit_conflict' })
      refused++
      continue
    }
    edited++
    const after = applyRegionEdits(snapshot, [edit])
    const now = open(after).entries
    expect(now.find(({ id }) => id === entry.id)?.text).toBe(changed)
    expect(now.length).toBe(entries.length)
    const written = readText(after, path) ?? ''
    const { start } = entry.span
    const length = written.length - file.length + entry.span.end - start
    const back = written.slice(0, start) + file.slice(start, entry.span.end) + written.slice(start + length)
    expect(back).toBe(file)
    expect(() => applyRegionEdits(after, [edit])).toThrow(/has changed/)
  }
  return { entries: entries.length, edited, refused, skipped: opened.skipped.length }
}

function changedText({ kind, text }: KnowledgeEntry): string {
  if (kind === 'prose' || kind === 'names' || kind === 'values') return `${text} changed`
  return text.includes('\n') ? `${text}\n  AND changed_1 = 'it''s'` : `${text} AND changed_1 = 'it''s'`
}

function textsOf(entries: readonly KnowledgeEntry[]): string[] {
  return entries.map(({ text }) => text)
}

/** Returns the texts that others do not have in the same order. */
function notIn(some: readonly string[], all: readonly string[]): string[] {
  let at = 0
  return some.filter((text) => {
    const found = all.indexOf(text, at)
    if (found >= 0) at = found + 1
    return found < 0
  })
}

/** Runs the suite on files that show a format's forms. */
export function entryFormatContract(name: string, files: Readonly<Record<string, string>>): void {
  describe(`entries of ${name}`, () => {
    for (const [path, text] of Object.entries(files)) {
      for (const [form, written] of [
        ['', text],
        [' with CRLF', text.replaceAll('\n', '\r\n')],
        [' with a byte order mark', `\uFEFF${text}`],
      ] as const) {
        it(`of ${path}${form} are edited in place, taken out alone, and restored byte for byte`, () => {
          const { entries, edited, refused } = checkFile(snapshotOf({ [path]: written }), path)
          expect(entries).toBeGreaterThan(0)
          expect(edited).toBeGreaterThan(0)
          expect(refused).toBe(0)
        })
      }
    }
  })
}
