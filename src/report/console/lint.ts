import type { EntryCounts } from '../../lint/check-entries.js'
import type { LintFinding, LintReport } from '../../lint/lint.js'
import { oneLine, plural } from '../format-text.js'
import { flowParts, paint, type Screen, wrap } from './screen-layout.js'

const textLines = 4

/**
 * Renders the check of a knowledge base for people: what was checked, each finding with its position, counts.
 */
export function lintLines(
  report: LintReport,
  engine: string,
  screen: Screen,
  entries?: EntrySummary,
): string[] {
  const { findings } = report
  const facts = [
    `autotest kb check  ${plural(report.metrics, 'metric')}`,
    plural(report.snippets, 'snippet'),
    plural(report.notes, 'note'),
    ...(entries === undefined ? [] : [plural(entries.counts.entries, 'entry')]),
    oneLine(engine),
  ]
  return [
    ...flowParts(facts, ' · ', screen).map((line) => paint(screen, 'heading', line)),
    ...findings.flatMap((finding) => ['', ...findingLines(finding, screen)]),
    '',
    ...(entries === undefined ? [] : entryLines(entries, screen)),
    ...countLines(findings, screen),
  ]
}

/** What the entries of other formats were found to be. */
export interface EntrySummary {
  readonly counts: EntryCounts
  readonly taken: readonly { readonly path: string; readonly format: string; readonly reason: string }[]
  readonly left: readonly { readonly path: string; readonly why: string }[]
}

const shownFiles = 3

/** Says how far entries were checked, and which files have none. */
function entryLines({ counts, taken, left }: EntrySummary, screen: Screen): string[] {
  const formats = [...new Set(taken.map(({ format }) => format))].map((format) => {
    const files = taken.filter((each) => each.format === format)
    return `${format} ${plural(files.length, 'file')}`
  })
  const counted = [
    ...formats,
    `${counts.ran} run`,
    `${counts.bound} bound`,
    `${counts.parsedOnly} parsed only`,
    `${counts.prose} prose`,
  ]
  const pairs = taken.filter(({ format }) => format === 'pairs').slice(0, shownFiles)
  const names = left.slice(0, shownFiles).map(({ path, why }) => `${path} (${why})`)
  const more = left.length > shownFiles ? ` and ${left.length - shownFiles} more` : ''
  return [
    ...flowParts(counted, ' · ', screen),
    ...pairs.map(({ path, reason }) => paint(screen, 'detail', `${path}: ${oneLine(reason)}`)),
    ...(left.length === 0
      ? []
      : [paint(screen, 'detail', `${plural(left.length, 'file')} not read: ${names.join(', ')}${more}`)]),
  ]
}

const leadColumns = 9

function findingLines(
  { severity, path, line, column, message, hint }: LintFinding,
  screen: Screen,
): string[] {
  const place = `${path}:${line}:${column}`
  const width = screen.width - leadColumns
  const said = wrap(`${place}  ${oneLine(message)}`, width, textLines)
  const advice = hint === undefined ? [] : wrap(oneLine(hint), width, 2)
  return [
    ...said.map((text, at) =>
      at === 0
        ? `${paint(screen, severity === 'error' ? 'bad' : 'repaired', severity.padEnd(leadColumns))}${text}`
        : `${' '.repeat(leadColumns)}${text}`,
    ),
    ...advice.map((text) => paint(screen, 'detail', `${' '.repeat(leadColumns)}${text}`)),
  ]
}

function countLines(findings: readonly LintFinding[], screen: Screen): string[] {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  if (findings.length === 0) return [paint(screen, 'good', 'no problems found')]
  return [`${plural(errors, 'error')}   ${plural(warnings, 'warning')}`]
}
