import {
  type AuditReport,
  addCounts,
  type Finding,
  type FindingKind,
  findingKinds,
  noMutants,
} from '../../audit/finding.js'
import type { AuditHeader } from '../audit-json.js'
import { formatDuration, oneLine, plural, shortSnapshotHash } from '../format-text.js'
import { flowParts, paint, type Screen, truncateTo, wrap } from './screen-layout.js'

const headings: Readonly<Record<FindingKind, string>> = {
  expected_fails: 'Expected queries that fail',
  nondeterministic: 'Expected queries that are not deterministic',
  expected_cut: 'Expected results that exceed a limit',
  contradicting: 'Cases that contradict each other',
  empty: 'Expected queries that return no data',
  unreadable: 'Expected queries without mutants',
  survivors: 'Mutants that the data do not detect',
  duplicate: 'Duplicate cases',
  reads_nothing: 'Cases that use no knowledge',
  unread_entry: 'Knowledge that no case uses',
}

const bad: ReadonlySet<FindingKind> = new Set([
  'expected_fails',
  'nondeterministic',
  'expected_cut',
  'contradicting',
])

/** Number of mutants shown for one case, unless all are requested. */
const shownMutants = 4
const textLines = 6

export interface AuditScreen extends Screen {
  /** Whether every mutant is shown, with its query. */
  readonly verbose: boolean
}

/** Renders the audit for people: findings by kind, worst first, then one line of counts. */
export function auditLines(report: AuditReport, head: AuditHeader, screen: AuditScreen): string[] {
  const { findings } = report
  const sections = findingKinds.flatMap((kind) => {
    const found = findings.filter((finding) => finding.kind === kind)
    return found.length === 0 ? [] : ['', ...section(kind, found, screen)]
  })
  return [...headerLines(report, head, screen), ...sections, '', ...summaryLines(report, head, screen)]
}

function headerLines({ cases }: AuditReport, head: AuditHeader, screen: Screen): string[] {
  const facts = [
    `autotest audit  ${plural(cases.length, 'case')}`,
    oneLine(head.engine),
    `knowledge ${shortSnapshotHash(head.knowledge)}`,
  ]
  return flowParts(facts, ' · ', screen).map((line) => paint(screen, 'heading', line))
}

function section(kind: FindingKind, findings: readonly Finding[], screen: AuditScreen): string[] {
  const lines = [paint(screen, 'heading', `${headings[kind]} (${findings.length})`)]
  for (const [at, finding] of findings.entries()) {
    lines.push(...findingLines(finding, screen))
    // Advice that consecutive findings share is printed once, after the last of them.
    if (findings[at + 1]?.advice !== finding.advice)
      lines.push(...indented(`→ ${finding.advice}`, screen, '   '))
  }
  return lines
}

function findingLines(finding: Finding, screen: AuditScreen): string[] {
  const { kind, subject, file, line, text, mutants = [] } = finding
  const mark = bad.has(kind) ? paint(screen, 'bad', '!') : paint(screen, 'repaired', '?')
  const place = oneLine(`${file}:${line}`)
  const shown = screen.verbose ? mutants : mutants.slice(0, shownMutants)
  const left = mutants.length - shown.length
  return [
    truncateTo(` ${mark} ${oneLine(subject)}   ${paint(screen, 'detail', place)}`, screen.width),
    ...indented(text, screen, '   '),
    ...shown.flatMap(({ words, sql }) => [
      ...indented(words, screen, '     '),
      ...(screen.verbose ? indented(sql, screen, '       ').map((one) => paint(screen, 'detail', one)) : []),
    ]),
    ...(left > 0 ? indented(`and ${left} more (--verbose)`, screen, '     ') : []),
  ]
}

function indented(text: string, screen: Screen, indent: string): string[] {
  return wrap(oneLine(text), screen.width - indent.length, textLines).map((line) => indent + line)
}

function summaryLines({ cases, findings }: AuditReport, head: AuditHeader, screen: Screen): string[] {
  const counts = cases.map(({ mutants }) => mutants).reduce(addCounts, noMutants)
  const some = (count: number, words: string): string[] => (count === 0 ? [] : [`${count} ${words}`])
  const parts = [
    plural(cases.length, 'case'),
    plural(counts.tried, 'mutant'),
    `${counts.toldApart} detected by the data`,
    ...some(counts.byCopies, `by ${plural(head.copies, 'fuzzed copy')} only`),
    ...some(counts.equivalent, 'equivalent'),
    `${counts.surviving} not detected`,
    ...some(counts.undecided, 'stopped'),
    ...some(counts.leftOut, 'not run'),
    formatDuration(head.ms),
  ]
  const verdict =
    findings.length === 0
      ? paint(screen, 'good', 'no findings')
      : paint(screen, 'heading', plural(findings.length, 'finding'))
  const ignored =
    head.ignored === 0 ? '' : paint(screen, 'detail', ` (${head.ignored} ignored, as judged before)`)
  return [...flowParts(parts, '   ', screen), `${verdict}${ignored}`]
}
