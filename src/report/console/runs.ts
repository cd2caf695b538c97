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
  const ids = Math.max(...runs.map((run) => run.id.length))
  return runs.map((run) => {
    const columns = [
      padEnd(run.id, ids),
      run.startedAt.slice(0, 16).replace('T', ' '),
      padEnd(formatGreenCount(run), 9),
      padEnd(formatOtherCounts(run), 12),
      padEnd(formatRunState(run), 11),
      oneLine(run.engine),
    ]
    const bad = run.total - run.counts.passed - run.counts.repaired
    const line = truncateTo(columns.join('   ').trimEnd(), screen.width)
    return bad === 0 ? line : paint(screen, 'repaired', line)
  })
}

function formatGreenCount(run: ListedRun): string {
  return `${run.counts.passed + run.counts.repaired}/${run.total}`
}

/** Returns `4 repaired, 1 failed`: everything except plain passes. */
function formatOtherCounts({ counts }: ListedRun): string {
  const rare = (['repaired', 'failed', 'unproven', 'errored', 'pending'] as const).filter(
    (one) => counts[one] > 0,
  )
  return rare.map((outcome) => `${counts[outcome]} ${formatOutcome(outcome)}`).join(', ')
}

function formatRunState(run: ListedRun): string {
  if (run.status !== 'finished') return run.status
  return run.decision === 'none' ? run.mode.replaceAll('_', ' ') : run.decision
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
