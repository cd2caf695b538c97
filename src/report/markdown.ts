import type { QuestionRecord } from '../store/question-types.js'
import type { AttemptRecord, CaseRecord, EditRecord, RunDetail } from '../store/record-types.js'
import { escapeMarkdown } from '../text/escape.js'
import { type CaseWithOthers, describeOther, describeOwnExample, gatherByCause } from './causes.js'
import {
  describeAttempt,
  describeCause,
  describeChange,
  describeResults,
  describeStructure,
  describeWarnings,
  evidenceRatios,
  formatDuration,
  formatEngineUse,
  formatLlmUsage,
  isPlan,
  isRejected,
  oneLine,
  plural,
  replayCommand,
  sanitizeLine,
  shortSnapshotHash,
} from './format-text.js'
import { heldRepair } from './held-repair.js'
import { describeAgent, describeHonestShare } from './own-agent.js'
import {
  formatAnswerCounts,
  formatBenchmarkRepeats,
  formatPassAt,
  repeatStatisticsOf,
} from './repeat-statistics.js'
import { rowLines } from './row-differences.js'
import { judgedEquivalent, needsPerson, summarize } from './summary.js'

/** A pull request comment is limited to 65,536 characters. */
const maxCases = 50
const maxDiffLines = 60
const tableWidth = 100
const tableRows = 5

/**
 * Renders the report for a pull request: counts, repairs with their diffs and reasons, and what needs review.
 */
export function markdownReport(detail: RunDetail): string {
  const { run } = detail
  const kept = detail.attempts.filter((attempt) => attempt.outcome !== 'rejected')
  const rejected = detail.attempts.filter(isRejected)
  const judged = detail.cases.filter((record) => judgedEquivalent(record) !== undefined)
  const person = detail.cases.filter(needsPerson)
  const causes = gatherByCause(person)
  const shown = causes.slice(0, maxCases)
  const copied = detail.cases.filter(
    (record) => record.sample.ownExample !== undefined && !needsPerson(record),
  )
  const planned = isPlan(run)
  return [
    `# autotest ${escapeText(run.id)}`,
    '',
    ...summaryTable(detail),
    '',
    factsLine(detail),
    ...(run.failure === undefined ? [] : ['', `The run ended early: ${escapeText(oneLine(run.failure))}`]),
    ...repeatsLine(detail),
    ...describeHonestShare(detail).flatMap((text) => ['', escapeText(text)]),
    ...titledSection(planned ? 'Planned repairs' : 'Repaired', kept, repairBlock),
    ...titledSection('Passed by the judge', judged.slice(0, maxCases), judgedLine),
    ...titledSection('Answered from their own example', copied.slice(0, maxCases), ({ caseId, sample }) => [
      '',
      `- ${code(caseId)}: ${code(sample.ownExample ?? '')}`,
    ]),
    ...titledSection(
      'Needs review',
      shown,
      (found) => personBlock(found, detail.run.options),
      shown.flatMap(({ record, others }) => [record, ...others]).length,
    ),
    ...(causes.length > maxCases
      ? [
          '',
          `… and ${person.length - shown.flatMap(({ record, others }) => [record, ...others]).length} more: ${code(`autotest runs show ${run.id}`)}`,
        ]
      : []),
    ...titledSection('Needs a decision', detail.questions ?? [], (question) =>
      questionBlock(question, heldRepair(question, detail.attempts)?.edits ?? []),
    ),
    ...titledSection('Rejected repairs', rejected, rejectedLine),
    '',
  ].join('\n')
}

function judgedLine(record: CaseRecord): string[] {
  return ['', `- ${code(record.caseId)}: ${escapeText(oneLine(judgedEquivalent(record) ?? ''))}`]
}

function summaryTable(detail: RunDetail): string[] {
  const summary = summarize(detail)
  const columns: (readonly [string, number])[] = [
    ['Total', summary.total],
    ['Passed', summary.passed],
    ['Repaired', summary.repaired],
    ['Failed', summary.failed],
  ]
  const rare: (readonly [string, number])[] = [
    ['Unproven', summary.unproven],
    ['Errors', summary.errored],
    ['Reverted later', summary.reverted],
    ['Pending', summary.pending],
    ['Not run', summary.skipped],
  ]
  const shown = [...columns, ...rare.filter(([, count]) => count > 0)]
  return [
    `| ${shown.map(([name]) => name).join(' | ')} |`,
    `|${shown.map(() => '---:').join('|')}|`,
    `| ${shown.map(([, count]) => count).join(' | ')} |`,
  ]
}

function factsLine(detail: RunDetail): string {
  const { run } = detail
  const { ms } = summarize(detail)
  const after = run.knowledgeAfter
  const knowledge =
    after === undefined || after === run.knowledge
      ? code(shortSnapshotHash(run.knowledge))
      : `${code(shortSnapshotHash(run.knowledge))} → ${code(shortSnapshotHash(after))}`
  return [
    code(run.engine),
    describeAgent(run, code),
    `knowledge ${knowledge}`,
    run.status === 'finished' ? formatDuration(ms) : `**${run.status}**`,
    ...formatLlmUsage(detail),
    ...formatEngineUse(detail),
    ...(run.decision === 'none' ? [] : [`edits ${run.decision}`]),
  ].join(' · ')
}

function repeatsLine(detail: RunDetail): string[] {
  const words = formatBenchmarkRepeats(detail)
  return words.length === 0 ? [] : ['', escapeText(words.join(' · '))]
}

function titledSection<T>(
  title: string,
  items: readonly T[],
  block: (item: T) => string[],
  count = items.length,
): string[] {
  return items.length === 0 ? [] : ['', `## ${title} (${count})`, ...items.flatMap(block)]
}

function repairBlock(attempt: AttemptRecord): string[] {
  const reverted = attempt.outcome === 'reverted' ? ' (reverted)' : ''
  return [
    '',
    `### ${escapeText(attempt.title)}${reverted}`,
    '',
    `${describeAttempt(attempt)}${attempt.goldExposed ? ' · proposed with access to the expected queries' : ''}`,
    '',
    `- cases: ${codes(attempt.cases)}`,
    `- why: ${escapeText(attempt.reasoning)}`,
    ...(attempt.evidence === undefined
      ? []
      : [
          `- proof: ${escapeText(evidenceRatios(attempt.evidence, attempt.grade).join(' · '))}`,
          ...describeWarnings(attempt.evidence).map((text) => `- warning: ${escapeText(text)}`),
        ]),
    ...(attempt.commit === undefined ? [] : [`- commit: ${code(attempt.commit.slice(0, 10))}`]),
    ...attempt.edits.flatMap((edit) => ['', code(edit.file), '', ...fenced(diffBody(edit.diff))]),
  ]
}

/** Returns a diff without the two lines of file names, which are above it. */
function diffBody(diff: string): string[] {
  const lines = diff.trimEnd().split('\n')
  const hunk = lines.findIndex((line) => line.startsWith('@@'))
  const body = lines.slice(Math.max(0, hunk))
  const left = body.length - maxDiffLines
  return left > 0 ? [...body.slice(0, maxDiffLines), `… ${plural(left, 'more line')}`] : body
}

function personBlock({ record, others }: CaseWithOthers, options: RunDetail['run']['options']): string[] {
  const { sample } = record
  const repeats = repeatStatisticsOf(record)
  const structure = describeStructure(sample.structure)
  const results = describeResults(sample.results)
  const rows =
    sample.results?.kind === 'mismatch'
      ? rowLines(sample.results.comparison, { width: tableWidth, rows: tableRows })
      : []
  return [
    '',
    `### ${code(record.caseId)}: ${escapeText(outcomeOf(record))}`,
    '',
    `> ${escapeText(record.question)}`,
    '',
    `- cause: ${escapeText(describeCause(record))}`,
    ...describeOwnExample(record).map((text) => `- no evidence: ${escapeText(text)}`),
    ...others.map(
      (other) => `- same cause: ${code(other.caseId)}: ${escapeText(describeOther(other, record))}`,
    ),
    ...(repeats === undefined
      ? []
      : [`- answers: ${escapeText([formatAnswerCounts(repeats), ...formatPassAt(repeats)].join(' · '))}`]),
    ...(structure.length === 0 ? [] : [`- structure: ${escapeText(structure.join('; '))}`]),
    ...(results === undefined ? [] : [`- results: ${escapeText(results)}`]),
    ...(record.retries === 0 ? [] : [`- tried: ${plural(record.retries, 'plan')}`]),
    `- location: ${code(`${record.file}:${record.line}`)}`,
    `- rerun: ${code(replayCommand(record.caseId, options))}`,
    ...(rows.length === 0 ? [] : ['', ...fenced(rows.map((line) => `${line.sign} ${line.text}`))]),
  ]
}

const sides = {
  follow_knowledge: 'The knowledge is right',
  follow_benchmark: 'The benchmark is right',
  accept: 'The repair is proved and held; accept it',
}

function questionBlock(
  { question, change, statements, cases, options }: QuestionRecord,
  edits: readonly EditRecord[],
): string[] {
  return [
    '',
    `### ${escapeText(question)}`,
    '',
    ...(change === undefined ? [] : [`- changed by ${escapeText(describeChange(change))}`]),
    ...changedLines(change),
    ...statements.map(({ text, place }) => `- reason: ${escapeText(`"${oneLine(text)}"`)} (${code(place)})`),
    ...cases.map(({ id, changed }) => {
      const when = changed === undefined ? 'in no commit yet' : `last changed by ${describeChange(changed)}`
      return `- case ${code(id)}, ${escapeText(when)}`
    }),
    ...options.map(({ answer, how }) => {
      const side = sides[answer]
      return `- ${side}: ${escapeText(how)}`
    }),
    ...edits.flatMap((edit) => [
      '',
      `What the repair writes in ${code(edit.file)}:`,
      '',
      ...fenced(diffBody(edit.diff)),
    ]),
    ...cases.flatMap(({ id, answer }) =>
      answer === undefined ? [] : ['', code(id), '', ...fenced(answer.split('\n'), 'sql')],
    ),
  ]
}

/** Returns both states of the lines that a change is about. */
function changedLines(change: QuestionRecord['change']): string[] {
  const { lines } = change ?? {}
  if (lines === undefined) return []
  const texts = [...lines.before.map((line) => `- ${line}`), ...lines.after.map((line) => `+ ${line}`)]
  return ['', code(lines.path), '', ...fenced(texts, 'diff'), '']
}

function outcomeOf({ outcome, label }: CaseRecord): string {
  return label === 'flaky' ? `${outcome}, flaky` : outcome
}

function rejectedLine(attempt: AttemptRecord): string[] {
  return ['', `- ${escapeText(attempt.title)}: ${escapeText(attempt.reason ?? 'verified, but not written')}`]
}

function codes(ids: readonly string[]): string {
  const shown = ids.slice(0, 20).map(code).join(', ')
  return ids.length > 20 ? `${shown} and ${ids.length - 20} more` : shown
}

/**
 * Returns a fenced block whose fence is longer than any run of backticks in it, so that content cannot end
 * it.
 */
function fenced(lines: readonly string[], language = 'diff'): string[] {
  const clean = lines.map(sanitizeLine)
  const fence = longerThan(clean.join('\n'), 3)
  return [`${fence}${language}`, ...clean, fence]
}

function code(text: string): string {
  const clean = cut(oneLine(text))
  const tick = longerThan(clean, 1)
  return tick.length > 1 ? `${tick} ${clean} ${tick}` : `\`${clean}\``
}

function longerThan(text: string, least: number): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  return '`'.repeat(Math.max(least, longest + 1))
}

function escapeText(text: string): string {
  return escapeMarkdown(cut(oneLine(text)))
}

function cut(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text
}
