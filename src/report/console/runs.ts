import type { CaseOutcome, RunDetail, RunRecord } from '../../store/record-types.js'
import { type CaseChange, diffRuns } from '../diff-runs.js'
import { formatDuration, formatOutcome, oneLine, plural, shortSnapshotHash } from '../format-text.js'
import { benchmarkRepeatStatistics } from '../repeat-statistics.js'
import { padEnd } from '../row-differences.js'
import { summarize } from '../summary.js'
import { flowParts, paint, type Screen, type SemanticStyle, truncateTo, wrap } from './screen-layout.js'

/** A run with its counts, as `RunStore.listRuns` returns it. */
export type ListedRun = RunRecord & { readonly counts: Readonly<Record<CaseOutcome, number>> }

/** Renders recorded runs, one line each; narrow terminals omit the right-hand columns. */
export function runsListLines(runs: readonly ListedRun[], screen: Screen): string[] {
  if (runs.length === 0) return ['No runs yet. Run `autotest` to record one.']
  const rows = runs.map((run) => [
    run.id,
    run.startedAt.slice(0, 16).replace('T', ' '),
    `${run.counts.passed}/${run.total}`,
    run.counts.repaired === 0 ? '' : `${run.counts.repaired} ${formatRepairState(run)}`,
    formatOtherCounts(run),
    run.status === 'finished' ? run.mode.replaceAll('_', ' ') : run.status,
    oneLine(run.engine),
  ])
  const widths = header.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    truncateTo(
      cells
        .map((cell, at) => padEnd(cell, widths[at] ?? 0))
        .join('   ')
        .trimEnd(),
      screen.width,
    )
  return [
    paint(screen, 'heading', line(header)),
    ...rows.map((row, at) => {
      const run = runs[at]
      return run === undefined || run.counts.passed === run.total
        ? line(row)
        : paint(screen, 'repaired', line(row))
    }),
  ]
}

/** A case that a repair made pass is apart from those that passed: the repair may be in no branch that others use. */
const header = ['run', 'started (UTC)', 'passed', 'repaired', 'other', 'kind', 'engine']

/** Returns `1 failed, 2 errors`: what neither passed nor was repaired. */
function formatOtherCounts({ counts }: ListedRun): string {
  const rare = (['failed', 'unproven', 'errored', 'pending', 'skipped'] as const).filter(
    (one) => counts[one] > 0,
  )
  return rare.map((outcome) => plainCount(counts[outcome], outcome)).join(', ')
}

function plainCount(count: number, outcome: CaseOutcome): string {
  if (outcome === 'errored') return plural(count, 'error')
  return outcome === 'skipped' ? `${count} not run` : `${count} ${formatOutcome(outcome)}`
}

/** Returns what became of the repairs; one in the working tree or reverted is no part of a commit. */
function formatRepairState({ decision }: ListedRun): string {
  switch (decision) {
    case 'committed':
      return 'committed'
    case 'kept':
      return 'uncommitted'
    case 'reverted':
      return 'reverted'
    case 'pending':
    case 'none':
      return 'not decided'
  }
}

/** Renders cases fixed, broken and unresolved from run `a` to run `b`, and what else changed. */
export function runsDiffLines(a: RunDetail, b: RunDetail, screen: Screen): string[] {
  const diff = diffRuns(a, b)
  const [before, after] = [summarize(a), summarize(b)]
  // The verdicts of a run are those with its final knowledge.
  const [from, to] = [a, b].map(({ run }) => shortSnapshotHash(run.knowledgeAfter ?? run.knowledge))
  const knowledge = `knowledge ${from}${from === to ? '' : ` → ${to}`}`
  const changed = [
    knowledge,
    ...(a.run.engine === b.run.engine ? [] : [`${oneLine(a.run.engine)} → ${oneLine(b.run.engine)}`]),
    ...(a.run.agent === b.run.agent ? [] : [`agent ${oneLine(a.run.agent)} → ${oneLine(b.run.agent)}`]),
    `${formatDuration(before.ms)} → ${formatDuration(after.ms)}`,
    `${before.llmCalls} → ${plural(after.llmCalls, 'LLM call')}`,
    ...formatPassAtOne(a, b),
  ]
  const redefined = [...diff.fixed, ...diff.broken, ...diff.stillBad].filter((change) => change.redefined)
  return [
    ...entry('fixed', diff.fixed.map(describeChange), 'good', screen),
    ...entry('broken', diff.broken.map(describeChange), 'bad', screen),
    ...entry('unresolved', diff.stillBad.map(describeChange), 'repaired', screen),
    ...(diff.onlyAfter.length === 0 ? [] : entry('added', diff.onlyAfter, 'detail', screen)),
    ...(diff.onlyBefore.length === 0 ? [] : entry('not run', diff.onlyBefore, 'detail', screen)),
    ...(redefined.length === 0
      ? []
      : entry(
          'redefined',
          redefined.map((change) => change.caseId),
          'detail',
          screen,
        )),
    ...rows('changed', flowParts(changed, '   ', { ...screen, width: screen.width - nameColumns })),
  ]
}

function formatPassAtOne(...runs: readonly RunDetail[]): string[] {
  const shares = runs.map((run) => benchmarkRepeatStatistics(run)?.passAt.get(1))
  if (shares.every((share) => share === undefined)) return []
  return [`pass@1 ${shares.map((share) => share?.toFixed(2) ?? 'not measured').join(' → ')}`]
}

const nameColumns = 12

/** Describes a change. A plain fix needs no more words; other changes state the new outcome. */
function describeChange({ caseId, before, after, answersBefore, answersAfter }: CaseChange): string {
  const [from, to] = [answersBefore ?? formatOutcome(before), answersAfter ?? formatOutcome(after)]
  if (answersBefore !== undefined || answersAfter !== undefined)
    return `${caseId} (${from === to ? to : `${from} → ${to}`})`
  if (after === 'passed') return caseId
  return before === after || after === 'repaired' || before === 'passed' || before === 'repaired'
    ? `${caseId} (${to})`
    : `${caseId} (${from} → ${to})`
}

function entry(name: string, items: readonly string[], meaning: SemanticStyle, screen: Screen): string[] {
  const text = items.length === 0 ? '–' : items.map(oneLine).join(', ')
  const lines = wrap(text, screen.width - nameColumns, 12)
  return rows(name, items.length === 0 ? lines : lines.map((line) => paint(screen, meaning, line)))
}

function rows(name: string, lines: readonly string[]): string[] {
  return lines.map((line, at) => ` ${padEnd(at === 0 ? name : '', nameColumns - 1)}${line}`)
}
