import type { CaseHistoryEntry } from '../../store/read-statements.js'
import type { AttemptRecord, CaseRecord } from '../../store/record-types.js'
import { describeOwnExample } from '../causes.js'
import {
  describeCause,
  describeEvidence,
  describeResults,
  describeStructure,
  describeWarnings,
  formatGrade,
  formatLabel,
  formatOutcome,
  oneLine,
  plural,
  replayCommand,
  shortSnapshotHash,
} from '../format-text.js'
import { caseMark, outcomeStyle } from './progress.js'
import { field, flowParts, paint, type Screen, wrap } from './screen-layout.js'

/** Consecutive runs, newest first, in which a case had the same outcome. */
type RunStreak = readonly [CaseHistoryEntry, ...CaseHistoryEntry[]]

/**
 * Renders the runs that asked a case, newest first; consecutive runs with the same outcome are shown once.
 */
export function caseHistoryLines(chapters: readonly CaseHistoryEntry[], screen: Screen): string[] {
  const latest = chapters[0]
  if (latest === undefined) return []
  const stretches = groupIntoStreaks(chapters)
  return [
    ...wrap(`${latest.record.caseId}   ${oneLine(latest.record.question)}`, screen.width, 3).map((line) =>
      paint(screen, 'heading', line),
    ),
    ...flowParts(factsOf(latest), ' · ', screen).map((line) => paint(screen, 'detail', line)),
    ...stretches.flatMap((stretch, at) => [
      '',
      ...streakLines(stretch, screen),
      ...changeLines(stretch, stretches[at + 1], screen),
    ]),
  ]
}

function factsOf({ record: { file, line, tags, caseId }, run }: CaseHistoryEntry): string[] {
  return [
    `${file}:${line}`,
    ...(tags.length === 0 ? [] : [tags.join(', ')]),
    replayCommand(caseId, run.options),
  ]
}

function groupIntoStreaks(chapters: readonly CaseHistoryEntry[]): RunStreak[] {
  const stretches: [CaseHistoryEntry, ...CaseHistoryEntry[]][] = []
  for (const chapter of chapters) {
    const open = stretches.at(-1)
    if (open !== undefined && areAlike(open[0], chapter)) open.push(chapter)
    else stretches.push([chapter])
  }
  return stretches
}

function areAlike(a: CaseHistoryEntry, b: CaseHistoryEntry): boolean {
  const isPlain = a.attempts.length === 0 && b.attempts.length === 0
  return (
    isPlain && a.record.fingerprint === b.record.fingerprint && outcomeKey(a.record) === outcomeKey(b.record)
  )
}

/** Returns the outcome as shown to the reader. */
function outcomeKey(record: CaseRecord): string {
  return record.outcome === 'passed' ? 'passed' : `${record.outcome} ${describeCause(record)}`
}

function streakLines([latest, ...earlier]: RunStreak, screen: Screen): string[] {
  const { record, attempts } = latest
  const first = earlier.at(-1)
  const head = [
    `${caseMark(record.outcome)} ${placeOf(latest)}`,
    formatOutcome(record.outcome),
    ...(first === undefined
      ? []
      : [`same as the previous ${plural(earlier.length, 'run')}, since ${placeOf(first)}`]),
  ]
  const meaning = outcomeStyle(record.outcome)
  return [
    ...flowParts(head, '   ', screen).map((line, at) =>
      at === 0 ? paint(screen, meaning, line) : `  ${line}`,
    ),
    ...(record.outcome === 'passed' ? [] : findingLines(record, screen)),
    ...describeOwnExample(record).flatMap((text) => field('no evidence', text, screen)),
    ...(latest.alike.length === 0 ? [] : field('same cause', latest.alike.map(oneLine).join(', '), screen)),
    ...attempts.flatMap((attempt) => attemptLines(attempt, screen)),
  ]
}

/** Returns `r-7f3a 2026-11-20 22:11`, in UTC. */
function placeOf({ run }: CaseHistoryEntry): string {
  return `${run.id} ${run.startedAt.slice(0, 16).replace('T', ' ')}`
}

function findingLines(record: CaseRecord, screen: Screen): string[] {
  const { sample } = record
  const structure = describeStructure(sample.structure).join('; ')
  const results = describeResults(sample.results)
  return [
    ...field('why', describeCause(record), screen),
    ...(structure === '' ? [] : field('structure', structure, screen)),
    ...(results === undefined || results === 'match' ? [] : field('results', results, screen)),
  ]
}

/** Renders an attempt from the plan to its commit. */
function attemptLines(attempt: AttemptRecord, screen: Screen): string[] {
  const { id, label, title, outcome, reason, edits, evidence, commit, cases } = attempt
  const why = oneLine(reason ?? 'verified, but not written')
  // What is held is not rejected: people decide.
  const end = outcome !== 'rejected' ? outcome : why.startsWith('held: ') ? why : `rejected: ${why}`
  const files = edits.map(({ file, added, removed }) => `${oneLine(file)} +${added} -${removed}`)
  return [
    ...field(
      `repair ${id}`,
      `${title} (${formatLabel(label)}, ${plural(cases.length, 'case')}, ${formatGrade(attempt.grade, cases.length)}): ${end}`,
      screen,
    ),
    ...(files.length === 0 ? [] : field('edits', files.join(', '), screen)),
    ...(evidence === undefined || outcome === 'rejected'
      ? []
      : [
          ...field('evidence', describeEvidence(evidence, attempt.grade), screen),
          ...describeWarnings(evidence).flatMap((text) => field('warning', text, screen)),
        ]),
    ...(commit === undefined ? [] : field('commit', commit.slice(0, 12), screen)),
  ]
}

/** Returns what differs from the previous streak, which explains most changes of verdict. */
function changeLines(stretch: RunStreak, before: RunStreak | undefined, screen: Screen): string[] {
  const now = stretch.at(-1)
  const then = before?.[0]
  if (now === undefined || then === undefined) return []
  const from = then.run.knowledgeAfter ?? then.run.knowledge
  const since = `since ${then.run.id}`
  const facts = [
    ...(now.record.fingerprint === then.record.fingerprint ? [] : ['the case']),
    ...(now.run.knowledge === from
      ? []
      : [`knowledge (${shortSnapshotHash(from)} → ${shortSnapshotHash(now.run.knowledge)})`]),
    ...(now.run.engine === then.run.engine
      ? []
      : [`engine (${oneLine(then.run.engine)} → ${oneLine(now.run.engine)})`]),
    ...(now.run.agent === then.run.agent
      ? []
      : [`agent (${oneLine(then.run.agent)} → ${oneLine(now.run.agent)})`]),
  ]
  // A pass after a repair needs no explanation.
  if (facts.length === 0 && then.record.outcome === 'repaired') return []
  return facts.length === 0
    ? field('changed', `nothing recorded ${since}`, screen)
    : field('changed', `${facts.join(', ')} ${since}`, screen)
}
