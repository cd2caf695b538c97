import { createTwoFilesPatch, FILE_HEADERS_ONLY, type StructuredPatch, structuredPatch } from 'diff'
import { changedPaths, type Snapshot } from './snapshot.js'

export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'context'
  /** Without the line's end. */
  readonly text: string
  /** Counted from 1; absent on an added line. */
  readonly oldLine?: number | undefined
  /** Counted from 1; absent on a removed line. */
  readonly newLine?: number | undefined
}

export interface FileDiff {
  readonly path: string
  /** Unified diff with three lines of context, in the format of `git apply`. */
  readonly patch: string
  /** Number of lines. */
  readonly added: number
  readonly removed: number
  /** The hunks' lines in order, for screens. */
  readonly lines: readonly DiffLine[]
}

const contextLines = 3

/** Returns the differences between two snapshots, one per file, sorted by path. */
export function diffSnapshots(before: Snapshot, after: Snapshot): FileDiff[] {
  return changedPaths(before, after).map((path) =>
    diffFile(path, before.files.get(path), after.files.get(path)),
  )
}

/** Returns the differences of files, one each, in their order. */
export function diffFiles(
  files: readonly {
    readonly path: string
    readonly before: Uint8Array | null
    readonly after: Uint8Array | null
  }[],
): FileDiff[] {
  return files.map(({ path, before, after }) => diffFile(path, before ?? undefined, after ?? undefined))
}

function diffFile(path: string, before: Uint8Array | undefined, after: Uint8Array | undefined): FileDiff {
  const oldName = before === undefined ? '/dev/null' : `a/${path}`
  const newName = after === undefined ? '/dev/null' : `b/${path}`
  const oldText = textOf(before)
  const newText = textOf(after)
  const hunks = structuredPatch(oldName, newName, oldText, newText, '', '', { context: contextLines })
  const lines = linesOf(hunks)
  return {
    path,
    patch: createTwoFilesPatch(oldName, newName, oldText, newText, '', '', {
      context: contextLines,
      headerOptions: FILE_HEADERS_ONLY,
    }),
    added: lines.filter((line) => line.kind === 'added').length,
    removed: lines.filter((line) => line.kind === 'removed').length,
    lines,
  }
}

/**
 * Decodes a file. One that is not UTF-8 is shown byte for byte as Latin-1, so that its changes stay visible.
 */
function textOf(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return ''
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return Buffer.from(bytes).toString('latin1')
    throw error
  }
}

function linesOf({ hunks }: StructuredPatch): DiffLine[] {
  return hunks.flatMap((hunk) => {
    let oldLine = hunk.oldStart
    let newLine = hunk.newStart
    return hunk.lines.flatMap((line): DiffLine[] => {
      const text = line.slice(1).replace(/\r$/, '')
      switch (line[0]) {
        case '+':
          return [{ kind: 'added', text, newLine: newLine++ }]
        case '-':
          return [{ kind: 'removed', text, oldLine: oldLine++ }]
        case ' ':
          return [{ kind: 'context', text, oldLine: oldLine++, newLine: newLine++ }]
        default:
          // "\ No newline at end of file" belongs to the patch, not to the text.
          return []
      }
    })
  })
}
