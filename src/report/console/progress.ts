import stringWidth from 'fast-string-width'
import type { Verdict } from '../../contracts/score.js'
import type { CaseOutcome, CaseRecord, RunRecord } from '../../store/record-types.js'
import { formatOutcome, oneLine, plural, shortSnapshotHash } from '../format-text.js'
import { describeAgent } from '../own-agent.js'
import { padEnd } from '../row-differences.js'
import { casesByGroup } from '../summary.js'
import { flowParts, paint, type Screen, type SemanticStyle, truncateTo } from './screen-layout.js'

/** More cases than this in a run, or marks than that on a line, are shown as counts. */
const maxCases = 200
const maxMarks = 48
const nameColumns = 24

/** Returns `autotest  48 cases · duckdb:data/shop.duckdb · agent template · knowledge 61b2f0a`. */
export function headerLines(run: RunRecord, screen: Screen): string[] {
  const facts = [
    `autotest  ${plural(run.total, 'case')}`,
    oneLine(run.engine),
    describeAgent(run),
    `knowledge ${shortSnapshotHash(run.knowledge)}`,
  ]
  return flowParts(facts, ' · ', screen).map((line) => paint(screen, 'heading', line))
}

/** Returns one character that shows the outcome without colour. */
export function caseMark(outcome: CaseOutcome): string {
  return marks[outcome]
}

export function outcomeStyle(outcome: CaseOutcome): SemanticStyle {
  return meanings[outcome]
}

const marks: Readonly<Record<CaseOutcome, string>> = {
  passed: '✓',
  repaired: '+',
  failed: '✗',
  unproven: '?',
  errored: '!',
  skipped: '-',
  pending: '○',
}

const meanings: Readonly<Record<CaseOutcome, SemanticStyle>> = {
  passed: 'good',
  repaired: 'repaired',
  failed: 'bad',
  unproven: 'repaired',
  errored: 'bad',
  skipped: 'detail',
  pending: 'repaired',
}

/** Columns that the lines of all tags share. */
export interface TagLayout {
  readonly name: number
  /** Columns for marks; 0: there is no space, and counts are shown. */
  readonly marks: number
}

/** Returns the layout for tags, given the number of cases of each. */
export function tagLayout(sizes: ReadonlyMap<string, number>, screen: Screen): TagLayout {
  const name = Math.min(
    nameColumns,
    Math.max(0, ...[...sizes.keys()].map((tag) => stringWidth(oneLine(tag)))),
  )
  const most = Math.max(0, ...sizes.values())
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const used = 1 + name + 3 + most + 2 + `${most}/${most}`.length
  return { name, marks: total > maxCases || most > maxMarks || used > screen.width ? 0 : most }
}

/** Returns ` traffic   ✓✓✓✓✓✗✓✓✓✓✓✓   11/12`, or counts instead of marks. */
export function tagLine(
  tag: string,
  outcomes: readonly CaseOutcome[],
  layout: TagLayout,
  screen: Screen,
): string {
  const green = outcomes.filter((outcome) => outcome === 'passed' || outcome === 'repaired').length
  const name = padEnd(truncateTo(oneLine(tag), Math.max(layout.name, 1)), layout.name)
  const ratio = `${green}/${outcomes.length}`
  if (layout.marks === 0) {
    const bad = [...new Set(outcomes)].filter((outcome) => outcome !== 'passed').sort()
    const counts = bad.map((outcome) => {
      const count = outcomes.filter((other) => other === outcome).length
      return `${count} ${formatOutcome(outcome)}`
    })
    return truncateTo(` ${name}   ${[ratio, ...counts].join('   ')}`, screen.width)
  }
  const painted = outcomes.map((outcome) => paint(screen, meanings[outcome], marks[outcome])).join('')
  return ` ${name}   ${painted}${' '.repeat(Math.max(0, layout.marks - outcomes.length))}  ${ratio}`
}

/** Renders a line for each first tag with the outcomes of the first answers, before any repair. */
export function tagLines(cases: readonly CaseRecord[], screen: Screen): string[] {
  const groups = casesByGroup(cases)
  const layout = tagLayout(new Map([...groups].map(([tag, records]) => [tag, records.length])), screen)
  return [...groups].map(([tag, records]) =>
    tagLine(
      tag,
      records.map((record) => baselineOutcomes[record.baseline]),
      layout,
      screen,
    ),
  )
}

const baselineOutcomes: Readonly<Record<Verdict, CaseOutcome>> = {
  pass: 'passed',
  fail: 'failed',
  unproven: 'unproven',
  error: 'errored',
  skipped: 'skipped',
}
