import { lstat, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { replaceFile } from '../../platform/replace-file.js'
import { isUntouchedExport } from '../../subagent/markdown-definition.js'
import { mergePart } from './merge-text.js'

export interface ExportedFile {
  readonly path: string
  /** `kept`: somebody has changed it since, and nothing is overwritten. */
  readonly outcome: 'written' | 'same' | 'kept'
}

/** Writes a file that is all of this program, unless somebody has changed it since. */
export async function writeWhole(path: string, text: string): Promise<ExportedFile> {
  const before = await textOf(path)
  if (before === text) return { path, outcome: 'same' }
  if (before !== undefined && !isUntouchedExport(before)) return { path, outcome: 'kept' }
  return write(path, text)
}

/** Writes a part of a file between marks, unless somebody has changed the part since. */
export async function writePart(path: string, name: string, part: string): Promise<ExportedFile> {
  const before = await textOf(path)
  const after = mergePart(before, name, part)
  if (after === undefined) return { path, outcome: 'kept' }
  return after === before ? { path, outcome: 'same' } : write(path, after)
}

export async function write(path: string, text: string): Promise<ExportedFile> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats !== undefined && !stats.isFile()) return { path, outcome: 'kept' }
  await mkdir(dirname(path), { recursive: true })
  await replaceFile(path, text, stats?.mode)
  return { path, outcome: 'written' }
}

export async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined)
}
