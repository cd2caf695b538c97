import { setImmediate } from 'node:timers/promises'
import type { ResultFinding, RowDifference } from '../../../compare/model/sql-score.js'
import type { Value } from '../../../engine/contract/engine.js'
import type { StructuralComparison } from '../../../sql/index.js'
import { jsonText } from '../../../text/escape.js'
import { raceInterrupt } from '../race-interrupt.js'
import { encodeValue } from '../result-json.js'
import { parseBulkLine } from './bulk-line.js'
import { compareLine, describeLineError, type LineContext, type LineFinding } from './compare-line.js'
import { type Line, readLines } from './read-lines.js'

/** A longer line is reported and skipped. */
const maxLineBytes = 256 * 1024 * 1024
/** Number of concurrent lines: while a database answers, the next ones are read. */
const maxPending = 4

export interface BulkRequest {
  readonly input: AsyncIterable<Uint8Array>
  readonly context: LineContext
  /** Writes one line and waits until more can be accepted; false if the output was closed. */
  readonly write: (text: string) => Promise<boolean>
  readonly signal: AbortSignal
}

/**
 * Compares line by line and answers in the same order, each line as soon as it and those before it are done.
 * Ends early, without an error, if the output was closed. Throws `interrupted`, with complete lines written,
 * as soon as the signal aborts.
 */
export function compareInBulk(request: BulkRequest): Promise<void> {
  return raceInterrupt(compareAll(request), request.signal, 'the printed lines are complete')
}

type Turn =
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'line'; readonly line: Line }
  | { readonly kind: 'end' }

async function compareAll({ input, context, write, signal }: BulkRequest): Promise<void> {
  const lines = readLines(input, maxLineBytes)
  const underWay: Promise<string>[] = []
  let coming: Promise<Turn> | undefined = turnOf(lines)
  for (;;) {
    const [oldest] = underWay
    const turns: Promise<Turn>[] = oldest === undefined ? [] : [oldest.then(answerTurn)]
    if (coming !== undefined && underWay.length < maxPending) turns.push(coming)
    if (turns.length === 0) return
    const turn = await Promise.race(turns)
    // Results from a closed database are discarded.
    if (signal.aborted) return
    if (turn.kind === 'answer') {
      void underWay.shift()
      if (!(await write(turn.text))) return
    } else {
      coming = turn.kind === 'end' ? undefined : turnOf(lines)
      if (turn.kind === 'line') underWay.push(startLine(turn.line, context))
      // Completed lines are written before the next one starts, which may take long, and interrupts are
      // handled.
      await setImmediate()
    }
  }
}

function answerTurn(text: string): Turn {
  return { kind: 'answer', text }
}

async function turnOf(lines: AsyncGenerator<Line, void, undefined>): Promise<Turn> {
  const { value } = await lines.next()
  return value === undefined ? { kind: 'end' } : { kind: 'line', line: value }
}

function startLine(line: Line, context: LineContext): Promise<string> {
  const answer = compareLineText(line, context)
  // Errors are thrown when their line is reached; until then they are not unhandled rejections.
  answer.catch(() => undefined)
  return answer
}

async function compareLineText(line: Line, context: LineContext): Promise<string> {
  if (line.kind === 'too_long')
    return jsonText({ line: line.number, error: `longer than ${maxLineBytes / 1024 / 1024} MB` })
  if (line.kind === 'not_utf8') return jsonText({ line: line.number, error: 'not UTF-8' })
  const read = parseBulkLine(line.text)
  if (read.kind === 'wrong') return jsonText({ id: read.id, line: line.number, error: read.error })
  const { id } = read.line
  try {
    return jsonText({ id, ...findingJson(await compareLine(read.line, context)) })
  } catch (error) {
    return jsonText({ id, line: line.number, error: describeLineError(error) })
  }
}

function findingJson({ structure, results, verdict }: LineFinding): object {
  return { structure: structureJson(structure), results: resultsJson(results), verdict }
}

function structureJson(structure: StructuralComparison | undefined): object {
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
      // On a fuzzed copy that distinguishes the queries, if the database itself does not.
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
      return { kind: difference.kind, row: difference.row.map(encodeValue) }
    case 'changed':
      return {
        kind: 'changed',
        ...distinguishCells(difference.expected, difference.actual),
        cells: difference.cells,
      }
  }
}

/**
 * Returns the cells of a changed row; if different cells are written alike, such as a list and its text, one
 * is shown with its type.
 */
function distinguishCells(expected: readonly Value[], actual: readonly Value[]): object {
  const [left, right] = [expected.map(encodeValue), actual.map(encodeValue)]
  const typed = (values: readonly Value[], others: readonly Value[], own: unknown[], written: unknown[]) =>
    own.map((cell, at) => {
      const value = values[at] ?? null
      const isOther = typeof value === 'object' && value?.kind === 'other'
      const isAlike = isOther && typeof others[at] === 'string' && cell === written[at]
      return isAlike ? { $type: value.type, text: value.text } : cell
    })
  return { expected: typed(expected, actual, left, right), actual: typed(actual, expected, right, left) }
}
