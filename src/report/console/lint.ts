import type { LintFinding, LintReport } from '../../lint/lint.js'
import { oneLine, plural } from '../format-text.js'
import { flowParts, paint, type Screen, wrap } from './screen-layout.js'

const textLines = 4

/**
 * Renders the check of a knowledge base for people: what was checked, each finding with its position, counts.
 */
export function lintLines(report: LintReport, engine: string, screen: Screen): string[] {
  const { findings } = report
  const facts = [
    `autotest kb check  ${plural(report.metrics, 'metric')}`,
    plural(report.snippets, 'snippet'),
    plural(report.notes, 'note'),
    oneLine(engine),
  ]
  return [
    ...flowParts(facts, ' · ', screen).map((line) => paint(screen, 'heading', line)),
    ...findings.flatMap((finding) => ['', ...findingLines(finding, screen)]),
    '',
    ...countLines(findings, screen),
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
