import type { RunDetail } from '../../store/record-types.js'
import { formatDuration, formatEngineUse, formatLlmUsage, isPlan, oneLine, plural } from '../format-text.js'
import { describeHonestShare } from '../own-agent.js'
import { formatBenchmarkRepeats } from '../repeat-statistics.js'
import { judgedEquivalent, needsPerson, type Summary, summarize } from '../summary.js'
import { needsPersonLines } from './failing-cases.js'
import { headerLines, tagLines } from './progress.js'
import { questionsLines } from './questions.js'
import { lineageLines, planLines, rejectedLines, repairsLines } from './repairs.js'
import { flowParts, paint, type Screen, type SemanticStyle, wrap } from './screen-layout.js'

/**
 * Renders the result of a run, printed after its progress: repairs or plans, cases that need review, the
 * summary. `report` is the file named in the last line.
 */
export function outcomeLines(detail: RunDetail, screen: Screen, report?: string): string[] {
  const dryRun = isPlan(detail.run)
  const plans = detail.attempts.some((attempt) => attempt.outcome === 'accepted')
  return sections([
    dryRun && (plans || detail.cases.some((record) => record.outcome === 'failed'))
      ? planLines(detail, screen)
      : repairsLines(detail, screen),
    judgedLines(detail, screen),
    ownExampleLines(detail, screen),
    needsPersonLines(detail, screen),
    questionsLines(detail, screen),
    failureLines(detail, screen),
    summaryLines(detail, screen, report),
  ])
}

/** Renders a whole stored run: header, first answers by tag, and the outcome. */
export function consoleReport(detail: RunDetail, screen: Screen): string[] {
  const { run } = detail
  const facts = [
    run.id,
    run.startedAt,
    `${run.mode.replaceAll('_', ' ')}, ${run.status}`,
    `edits: ${run.decision}`,
  ]
  return sections([
    [
      ...headerLines(run, screen),
      ...flowParts(facts, ' · ', screen).map((line) => paint(screen, 'detail', line)),
    ],
    tagLines(detail.cases, screen),
    rejectedLines(detail, screen),
    outcomeLines(detail, screen),
    lineageLines(detail, screen),
  ])
}

/** Names the cases that pass by a judge's word alone, with its reason: a person may object. */
function judgedLines({ cases }: RunDetail, screen: Screen): string[] {
  const judged = cases.flatMap((record) => {
    const reason = judgedEquivalent(record)
    return reason === undefined ? [] : [`${oneLine(record.caseId)}: ${oneLine(reason)}`]
  })
  if (judged.length === 0) return []
  const left = judged.length - maxJudged
  return [
    paint(screen, 'heading', 'Passed by the judge'),
    ...judged
      .slice(0, maxJudged)
      .flatMap((text) => wrap(text, screen.width - 2, 4).map((line) => `  ${line}`)),
    ...(left > 0 ? [`  … ${left} more in the report`] : []),
  ]
}

/** Names the cases that pass and that the agent may have copied from what it read: they show nothing. */
function ownExampleLines({ run, cases }: RunDetail, screen: Screen): string[] {
  const copied = cases.filter((record) => record.sample.ownExample !== undefined && !needsPerson(record))
  if (copied.length === 0) return []
  const left = copied.length - maxJudged
  return [
    paint(screen, 'heading', 'Answered from their own example'),
    ...copied
      .slice(0, maxJudged)
      .map(({ caseId, sample }) => `${oneLine(caseId)}: ${oneLine(sample.ownExample ?? '')}`)
      .flatMap((text) => wrap(text, screen.width - 2, 4).map((line) => `  ${line}`)),
    ...(left > 0 ? [`  … ${left} more: autotest runs show ${run.id}`] : []),
  ]
}

const maxJudged = 20

/** Returns the reason why a run ended early. */
function failureLines({ run: { failure } }: RunDetail, screen: Screen): string[] {
  if (failure === undefined) return []
  return wrap(`ended early: ${oneLine(failure)}`, screen.width, 4).map((line) => paint(screen, 'bad', line))
}

/** Returns `48 cases   42 passed   4 repaired   0 failed   1 unproven   1 error   2.8 s`, and the cost. */
export function summaryLines(detail: RunDetail, screen: Screen, report?: string): string[] {
  const summary = summarize(detail)
  const facts = [
    ...formatLlmUsage(detail),
    ...formatEngineUse(detail),
    ...(report === undefined ? [] : [`report ${oneLine(report)}`]),
    `run ${detail.run.id}`,
  ]
  return [
    ...flowParts(countParts(summary, screen), '   ', screen),
    ...flowParts(formatBenchmarkRepeats(detail), ' · ', screen),
    ...describeHonestShare(detail).flatMap((text) => wrap(text, screen.width, 2)),
    ...flowParts(facts, ' · ', screen).map((line) => paint(screen, 'detail', line)),
  ]
}

/** Returns the counts: the first four always, the others only if they are not 0. */
function countParts(summary: Summary, screen: Screen): string[] {
  const part = (count: number, words: string, meaning: SemanticStyle): string =>
    count === 0 ? `0 ${words}` : paint(screen, meaning, `${count} ${words}`)
  return [
    plural(summary.total, 'case'),
    part(summary.passed, summary.judged === 0 ? 'passed' : `passed (${summary.judged} by the judge)`, 'good'),
    part(summary.repaired, repairedWords(summary), 'repaired'),
    part(summary.failed, 'failed', 'bad'),
    ...(summary.unproven === 0 ? [] : [part(summary.unproven, 'unproven', 'repaired')]),
    ...(summary.errored === 0
      ? []
      : [part(summary.errored, summary.errored === 1 ? 'error' : 'errors', 'bad')]),
    ...(summary.pending === 0 ? [] : [part(summary.pending, 'pending', 'repaired')]),
    ...(summary.skipped === 0 ? [] : [part(summary.skipped, 'not run', 'detail')]),
    ...(summary.ms === 0 ? [] : [formatDuration(summary.ms)]),
  ]
}

/** Returns the number repaired by the run, and how many of them were reverted since. */
function repairedWords({ repaired, reverted }: Summary): string {
  if (reverted === 0) return 'repaired'
  return reverted === repaired ? 'repaired, reverted later' : `repaired, ${reverted} of them reverted later`
}

/** Joins blocks with an empty line between them; empty blocks are left out. */
function sections(blocks: readonly (readonly string[])[]): string[] {
  return blocks
    .filter((block) => block.length > 0)
    .flatMap((block, at) => (at === 0 ? [...block] : ['', ...block]))
    .filter((line, at, lines) => line !== '' || lines[at - 1] !== '')
}
