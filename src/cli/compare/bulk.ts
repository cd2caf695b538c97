import type { ResultFinding, RowDifference } from '../../compare/score.js'
import type { Value } from '../../engine/engine.js'
import type { StructureFinding } from '../../sql/finding.js'
import { writeValue } from './bulk-cells.js'
import { readBulkLine } from './bulk-line.js'
import { compareLine, type LineContext, type LineFinding, lineError } from './compare-line.js'
import { type Line, readLines } from './read-lines.js'

/** A longer line is reported and passed over. */
const maxLineBytes = 256 * 1024 * 1024
/** Lines under way at once: while a database answers, the next ones are read. */
const ahead = 4

export interface BulkRequest {
  readonly input: AsyncIterable<Uint8Array>
  readonly context: LineContext
  /** Writes one line and waits until more can be taken; false when nobody reads any more. */
  readonly write: (text: string) => Promise<boolean>
  readonly signal: AbortSignal
}

/** Compares line by line and answers in the same order. Ends early, and quietly, where nobody reads the answers. */
export async function compareInBulk({ input, context, write, signal }: BulkRequest): Promise<void> {
  const underWay: Promise<string>[] = []
  const flush = async (): Promise<boolean> => {
    const answer = underWay.shift()
    return answer === undefined || (await write(await answer))
  }
  for await (const line of readLines(input, maxLineBytes)) {
    if (signal.aborted) return
    const answer = answerTo(line, context)
    // What goes wrong is thrown when its turn comes, and is no surprise until then.
    answer.catch(() => undefined)
    underWay.push(answer)
    if (underWay.length >= ahead && !(await flush())) return
  }
  while (underWay.length > 0) if (!(await flush())) return
}

async function answerTo(line: Line, context: LineContext): Promise<string> {
  if (line.kind === 'too_long')
    return JSON.stringify({ line: line.number, error: `longer than ${maxLineBytes / 1024 / 1024} MB` })
  if (line.kind === 'not_utf8') return JSON.stringify({ line: line.number, error: 'not UTF-8' })
  const read = readBulkLine(line.text)
  if (read.kind === 'wrong') return JSON.stringify({ id: read.id, line: line.number, error: read.error })
  const { id } = read.line
  try {
    return JSON.stringify({ id, ...findingJson(await compareLine(read.line, context)) })
  } catch (error) {
    return JSON.stringify({ id, line: line.number, error: lineError(error) })
  }
}

function findingJson({ structure, results, verdict }: LineFinding): object {
  return { structure: structureJson(structure), results: resultsJson(results), verdict }
}

function structureJson(structure: StructureFinding | undefined): object {
  if (structure === undefined) return { verdict: 'skipped', differences: [] }
  switch (structure.kind) {
    case 'equal':
      return { verdict: 'equal', assumptions: structure.assumptions, differences: [] }
    case 'unparsable':
      return { verdict: 'unparsable', differences: [], error: `${structure.side}: ${structure.message}` }
    case 'equal_if':
    case 'different':
      return {
        verdict: structure.kind,
        assumptions: structure.kind === 'equal_if' ? structure.assumptions : undefined,
        differences: structure.differences.map(({ component, kind, text }) => ({ component, kind, text })),
      }
  }
}

function resultsJson(results: ResultFinding): object {
  switch (results.kind) {
    case 'match':
      return { verdict: 'match' }
    case 'mismatch': {
      const { differing, differences, untried } = results.comparison
      // On a fuzzed copy that tells the queries apart, where the database itself does not.
      const { copy } = results
      return { verdict: 'mismatch', copy, differing, untried, differences: differences.map(differenceJson) }
    }
    case 'cut':
      return { verdict: 'error', error: results.message }
    case 'generated_failed':
      return { verdict: 'error', copy: results.copy, error: `generated: ${results.message}` }
    case 'expected_failed':
      return { verdict: 'error', error: `expected: ${results.message}` }
    case 'skipped':
      return { verdict: 'skipped' }
  }
}

function differenceJson(difference: RowDifference): object {
  switch (difference.kind) {
    case 'columns':
    case 'order':
      return difference
    case 'missing':
    case 'extra':
      return { kind: difference.kind, row: difference.row.map(writeValue) }
    case 'changed':
      return {
        kind: 'changed',
        ...toldApart(difference.expected, difference.actual),
        cells: difference.cells,
      }
  }
}

/** Cells of a changed row; where different ones are written alike, a list and its text, the one says its type. */
function toldApart(expected: readonly Value[], actual: readonly Value[]): object {
  const [left, right] = [expected.map(writeValue), actual.map(writeValue)]
  const typed = (values: readonly Value[], others: readonly Value[], own: unknown[], written: unknown[]) =>
    own.map((cell, at) => {
      const value = values[at] ?? null
      const isOther = typeof value === 'object' && value?.kind === 'other'
      const isAlike = isOther && typeof others[at] === 'string' && cell === written[at]
      return isAlike ? { $type: value.type, text: value.text } : cell
    })
  return { expected: typed(expected, actual, left, right), actual: typed(actual, expected, right, left) }
}
