import stringWidth from 'fast-string-width'
import type { AttemptRecord, EditRecord, RunDetail } from '../../store/record-types.js'
import { aroundChange, changedLines } from '../changed-lines.js'
import {
  describeAttempt,
  describeEvidence,
  describeRetries,
  describeWarnings,
  evidenceRatios,
  formatGrade,
  formatLabel,
  isRejected,
  oneLine,
  plural,
} from '../format-text.js'
import {
  field,
  flowParts,
  justify,
  paint,
  type Screen,
  truncateTo,
  wrap,
  wrapClauses,
} from './screen-layout.js'

const maxDiffLines = 12
const maxReasonLines = 6

/** Renders the repairs with their edits and evidence. */
export function repairsLines({ attempts }: RunDetail, screen: Screen): string[] {
  const kept = attempts.filter((attempt) => attempt.outcome !== 'rejected')
  if (kept.length === 0) return []
  return [
    paint(screen, 'heading', 'Repaired'),
    ...kept.flatMap((attempt, at) => [...(at === 0 ? [] : ['']), ...repairLines(attempt, screen)]),
  ]
}

/** Renders one accepted or reverted plan: title, cost, edits in the fewest lines, evidence. */
export function repairLines(attempt: AttemptRecord, screen: Screen): string[] {
  const reverted = attempt.outcome === 'reverted'
  const title = ` ${reverted ? '↩' : '✓'} ${oneLine(attempt.title)}${reverted ? ' (reverted)' : ''}`
  const facts = describeAttempt(attempt)
  const oneRow = stringWidth(title) + stringWidth(facts) + 2 <= screen.width
  const head = oneRow
    ? [justify(title, facts, screen.width)]
    : [
        ...wrap(title.trim(), screen.width - 3, 3).map((line, at) => (at === 0 ? ` ${line}` : `   ${line}`)),
        ...flowParts(facts.split(' · '), ' · ', screen, '   '),
      ]
  return [
    ...head.map((line, at) => (at === 0 ? paint(screen, reverted ? 'detail' : 'repaired', line) : line)),
    ...attempt.edits.flatMap((edit) => [
      truncateTo(`   ${oneLine(edit.file)}`, screen.width),
      ...editLines(edit, screen),
    ]),
    ...reasonLines(attempt, screen),
    ...warningLines(attempt, screen),
  ]
}

/** Not dimmed: warnings should be read before confirming. */
function warningLines({ evidence }: AttemptRecord, screen: Screen): string[] {
  if (evidence === undefined) return []
  return describeWarnings(evidence)
    .flatMap((text) => wrap(`warning: ${text}`, screen.width - 3, 3))
    .map((line) => paint(screen, 'repaired', `   ${line}`))
}

/** Renders why the plan was made, and its evidence. */
function reasonLines({ reasoning, evidence, grade }: AttemptRecord, screen: Screen): string[] {
  const texts = [
    `why: ${oneLine(reasoning)}`,
    ...(evidence === undefined ? [] : [describeEvidence(evidence, grade)]),
  ]
  return texts
    .flatMap((text) => wrapClauses(text, screen.width - 3, maxReasonLines))
    .map((line) => paint(screen, 'detail', `   ${line}`))
}

/** Renders each repair from its cases to its commit, with the id that `autotest revert --repair` takes. */
export function lineageLines({ attempts }: RunDetail, screen: Screen): string[] {
  const kept = attempts.filter((attempt) => attempt.outcome !== 'rejected')
  if (kept.length === 0) return []
  return [
    paint(screen, 'heading', 'Lineage'),
    ...kept.flatMap(({ id, cases, edits, grade, outcome, commit }) => {
      const end =
        outcome === 'reverted'
          ? 'reverted'
          : commit === undefined
            ? 'not committed'
            : `commit ${commit.slice(0, 12)}`
      const chain = [
        cases.map(oneLine).join(', '),
        edits.map(({ file }) => oneLine(file)).join(', '),
        grade ?? 'no grade',
        end,
      ]
      return field(id, chain.join(' → '), screen)
    }),
  ]
}

/** Returns `old   →   new` if one line is replaced by another and both fit, else `-` and `+` lines. */
export function editLines(edit: EditRecord, screen: Screen): string[] {
  const lines = changedLines(edit.diff).flatMap(({ removed, added }) => {
    const arrow = `     ${removed[0]?.trim()}   →   ${added[0]?.trim()}`
    if (removed.length === 1 && added.length === 1 && stringWidth(arrow) <= screen.width) {
      return [paint(screen, 'repaired', arrow)]
    }
    return signedLines(removed, added, '   ', screen)
  })
  return limited(lines, screen)
}

function signedLines(
  removed: readonly string[],
  added: readonly string[],
  indent: string,
  screen: Screen,
): string[] {
  const room = screen.width - indent.length - 2
  // Lines that replace each other are cut at the same place.
  const pairs =
    removed.length === added.length ? removed.map((old, at) => [old, added[at] ?? ''] as const) : []
  const shown = pairs.map(([old, now]) => aroundChange(old, now, room))
  const [before, after] =
    pairs.length === 0 ? [removed, added] : [shown.map(([old]) => old), shown.map(([, now]) => now)]
  const line = (sign: '-' | '+', text: string): string =>
    paint(screen, sign === '-' ? 'bad' : 'good', truncateTo(`${indent}${sign} ${text}`, screen.width))
  return [...before.map((text) => line('-', text)), ...after.map((text) => line('+', text))]
}

function limited(lines: readonly string[], screen: Screen): string[] {
  const left = lines.length - maxDiffLines
  if (left <= 0) return [...lines]
  return [
    ...lines.slice(0, maxDiffLines),
    paint(screen, 'detail', truncateTo(`     … ${left} more lines`, screen.width)),
  ]
}

/** Renders the plans of a dry run, each with its edits, reason, evidence and cost, and how to apply them. */
export function planLines({ run, attempts }: RunDetail, screen: Screen): string[] {
  const plans = attempts.filter((attempt) => attempt.outcome === 'accepted')
  if (plans.length === 0) return ['No repair plan passed its checks. Nothing was written.']
  return [
    ...plans.flatMap((plan, at) => [...onePlan(plan, at + 1, plans.length, screen), '']),
    ...flowParts(['Nothing was written.', `Apply with: autotest apply ${run.id}`], ' ', screen),
  ]
}

function onePlan(plan: AttemptRecord, at: number, of: number, screen: Screen): string[] {
  const facts = [
    `Plan ${at} of ${of}   ${plan.id}`,
    formatLabel(plan.label),
    oneLine(plan.subject),
    `fixes ${plural(plan.cases.length, 'case')}`,
    `grade ${formatGrade(plan.grade, plan.cases.length)}`,
  ]
  const edits = plan.edits.flatMap((edit) => [
    truncateTo(`  ${oneLine(edit.file)}`, screen.width),
    ...limited(
      changedLines(edit.diff).flatMap(({ line, removed, added }) => [
        paint(screen, 'detail', `  @@ ${line} @@`),
        ...signedLines(removed, added, '  ', screen),
      ]),
      screen,
    ),
  ])
  return [
    ...flowParts(facts, ' · ', screen).map((line) => paint(screen, 'heading', line)),
    ...edits,
    ...field('why', plan.reasoning, screen),
    ...(plan.evidence === undefined
      ? []
      : field('proof', evidenceRatios(plan.evidence, plan.grade).join(' · '), screen)),
    ...(plan.evidence === undefined
      ? []
      : describeWarnings(plan.evidence).flatMap((text) => field('warning', text, screen))),
    ...field('cost', [plural(plan.llmCalls, 'LLM call'), ...describeRetries(plan)].join(' · '), screen),
  ]
}

/** Renders plans that were tried and not accepted, one line each with the reason. */
export function rejectedLines({ attempts }: RunDetail, screen: Screen): string[] {
  const rejected = attempts.filter(isRejected)
  if (rejected.length === 0) return []
  return [
    paint(screen, 'heading', 'Rejected repairs'),
    ...rejected.map((attempt) =>
      truncateTo(
        ` ${oneLine(attempt.title)}: ${oneLine(attempt.reason ?? 'verified, but not written')}`,
        screen.width,
      ),
    ),
  ]
}
