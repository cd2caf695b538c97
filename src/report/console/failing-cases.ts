import stringWidth from 'fast-string-width'
import type { CaseRecord, RunDetail } from '../../store/record-types.js'
import { quoteShellArgument } from '../../text/shell-argument.js'
import { describeOther, describeOwnExample, gatherByCause } from '../causes.js'
import {
  describeCause,
  describeEntriesRead,
  describeResults,
  describeStructure,
  oneLine,
  replayCommand,
} from '../format-text.js'
import { formatAnswerCounts, formatPassAt, repeatStatisticsOf } from '../repeat-statistics.js'
import { describeAlike, gatherRepeatedErrors } from '../repeated-errors.js'
import { padEnd, type RowLine, rowLines } from '../row-differences.js'
import { needsPerson } from '../summary.js'
import { caseMark, outcomeStyle } from './progress.js'
import {
  commandField,
  field,
  justify,
  labelWidth,
  paint,
  type Screen,
  truncateTo,
  wrap,
} from './screen-layout.js'

/** Number of failing cases shown in full, and of lines for the others, before the rest is only counted. */
const maxBlocks = 10
const maxLines = 40
const maxCauseLines = 4
const tableRows = 3
const tableIndent = labelWidth + 2
const idColumns = 24

/**
 * Renders a failing case: the differences of query and rows, the knowledge it used, and how to rerun it. In
 * the table `-` is expected and `+` is the result of the agent's query. Other cases of its cause are listed under it.
 */
export function failingCaseLines(
  record: CaseRecord,
  screen: Screen,
  options: RunDetail['run']['options'] = {},
  others: readonly CaseRecord[] = [],
): string[] {
  const { sample } = record
  const structure = describeStructure(sample.structure)
  const results = describeResults(sample.results)
  const repeats = repeatStatisticsOf(record)
  const table = tableLines(record, screen)
  const untold = structure.length === 0 && (results === undefined || sample.results?.kind === 'match')
  return [
    ...titleLines(record, screen),
    ...(repeats === undefined
      ? []
      : field('answers', [formatAnswerCounts(repeats), ...formatPassAt(repeats)].join(' · '), screen)),
    ...(sample.kind === 'answer' ? [] : field('answer', answerWords(record), screen)),
    ...(structure.length === 0 ? [] : field('structure', structure.join('; '), screen)),
    ...(results === undefined ? [] : field('results', results + legend(table), screen)),
    ...table,
    ...(untold && sample.kind === 'answer' ? field('reason', sample.reason, screen) : []),
    ...(record.cause === undefined ? [] : field('why', describeCause(record), screen)),
    ...describeOwnExample(record).flatMap((text) => field('no evidence', text, screen)),
    ...(sample.kind === 'error' ? [] : field('knowledge used', describeEntriesRead(sample.read), screen)),
    ...commandField('rerun', replayCommand(record.caseId, options), screen),
    ...others.flatMap((other, at) =>
      field(
        at === 0 ? 'same cause' : '',
        `${oneLine(other.caseId)}: ${describeOther(other, record)}`,
        screen,
      ),
    ),
  ]
}

/**
 * Renders the cases that need review: failing cases in full, then errors and unproven ones in one or two
 * lines each.
 */
export function needsPersonLines({ run, cases }: RunDetail, screen: Screen): string[] {
  const all = cases.filter(needsPerson)
  if (all.length === 0) return []
  const failed = gatherByCause(all.filter((record) => record.outcome === 'failed'))
  const blocks = failed.slice(0, maxBlocks)
  const shown = new Set(blocks.flatMap(({ record, others }) => [record, ...others]))
  const rest = gatherRepeatedErrors(all.filter((record) => !shown.has(record)))
  const left = rest.length - maxLines
  return [
    paint(screen, 'heading', 'Needs review'),
    ...blocks.flatMap(({ record, others }) => [...failingCaseLines(record, screen, run.options, others), '']),
    ...rest
      .slice(0, maxLines)
      .flatMap(({ record, alike }) => [
        ...personLines(record, run.options, idWidth(rest.map((one) => one.record)), screen),
        ...(alike.length === 0
          ? []
          : wrap(describeAlike(alike), screen.width - 3, 3).map((line) => `   ${line}`)),
      ]),
    ...(left > 0 ? [truncateTo(` … ${left} more: autotest runs show ${run.id}`, screen.width)] : []),
  ]
}

function titleLines(record: CaseRecord, screen: Screen): string[] {
  const head = `${caseMark(record.outcome)} ${oneLine(record.caseId)}`
  const question = oneLine(record.question)
  const tags = oneLine(record.tags.join(', '))
  const meaning = outcomeStyle(record.outcome)
  if (stringWidth(head) + 3 + stringWidth(question) > screen.width) {
    return [
      paint(screen, meaning, truncateTo(head, screen.width)),
      ...wrap(question, screen.width - 2, 2).map((line) => `  ${line}`),
    ]
  }
  const rest = justify(`   ${question}`, tags, screen.width - stringWidth(head))
  return [paint(screen, meaning, head) + rest]
}

const answerLeads: Readonly<Record<CaseRecord['sample']['kind'], string>> = {
  answer: 'answer',
  no_answer: 'no answer',
  unreadable: 'no readable answer',
  error: 'the agent failed',
  none: 'not run',
}

function answerWords({ sample }: CaseRecord): string {
  const lead = answerLeads[sample.kind]
  return sample.message === undefined || sample.message === '' ? lead : `${lead}: ${sample.message}`
}

/** The signs mean the same wherever rows or queries are compared. */
function legend(table: readonly string[]): string {
  return table.length === 0 ? '' : ' (- expected, + answer)'
}

function tableLines({ sample }: CaseRecord, screen: Screen): string[] {
  if (sample.results?.kind !== 'mismatch') return []
  const indent = screen.width < 60 ? 4 : tableIndent
  const width = screen.width - indent - 2
  return rowLines(sample.results.comparison, { width, rows: tableRows }).map((line) =>
    paintRow(line, `${' '.repeat(indent)}${line.sign} ${truncateTo(line.text, width)}`, screen),
  )
}

function paintRow(line: RowLine, text: string, screen: Screen): string {
  if (line.sign === ' ') return paint(screen, 'detail', text)
  return paint(screen, line.sign === '-' ? 'good' : 'bad', text)
}

function idWidth(records: readonly CaseRecord[]): number {
  return Math.min(idColumns, Math.max(0, ...records.map((record) => stringWidth(oneLine(record.caseId)))))
}

function personLines(
  record: CaseRecord,
  options: RunDetail['run']['options'],
  idWidth: number,
  screen: Screen,
): string[] {
  const mark = paint(screen, outcomeStyle(record.outcome), caseMark(record.outcome))
  const id = truncateTo(oneLine(record.caseId), Math.max(1, screen.width - 3))
  const cause = describeCause(record)
  const place = whereToLook(record, options)
  // The message about a faulty expected query contains its line already.
  const where = cause.includes(`${oneLine(record.file)}:`) ? '' : `(${place})`
  const indent = 3 + idWidth + 3
  if (stringWidth(id) > idWidth || screen.width - indent < 30) {
    return [` ${mark} ${id}`, ...causeLines(cause, where, screen.width - 5).map((line) => `     ${line}`)]
  }
  return causeLines(cause, where, screen.width - indent).map((line, at) =>
    at === 0 ? ` ${mark} ${padEnd(id, idWidth)}   ${line}` : ' '.repeat(indent) + line,
  )
}

/** Returns a cause, cut after some lines, and where to look, which is never cut. */
function causeLines(cause: string, where: string, width: number): string[] {
  const all = wrap(`${cause} ${where}`.trim(), width, maxCauseLines)
  if (all.join(' ').endsWith(where)) return all
  return [...wrap(cause, width, maxCauseLines - 1), ...wrap(where, width, 3)]
}

/** Returns the line of the fault in the benchmark, else the command that shows more. */
function whereToLook(record: CaseRecord, options: RunDetail['run']['options']): string {
  if (record.label === 'suspect_oracle' || record.label === 'schema_changed')
    return `${oneLine(record.file)}:${record.line}`
  if (record.outcome !== 'unproven') return replayCommand(record.caseId, options)
  const compare = `autotest compare ${quoteShellArgument(oneLine(record.caseId))}`
  return record.sample.reason.includes('--policy') ? compare : `${compare}, or accept with --policy results`
}
