import type { CaseRecord, RunDetail } from '../store/record-types.js'
import { escapeAnnotation, escapeAnnotationProperty } from '../text/escape.js'
import { describeCause, describeDifferences } from './format-text.js'
import { needsPerson } from './summary.js'

/**
 * Returns workflow commands that annotate the benchmark's lines in a pull request: an error for each case
 * that did not pass, a warning if a verified repair is pending. GitHub shows the first ten of each kind.
 */
export function githubAnnotations(detail: RunDetail): string[] {
  return detail.cases.flatMap((record) => {
    if (needsPerson(record))
      return [annotation('error', record, record.label === 'flaky' ? 'flaky' : record.outcome)]
    return record.outcome === 'pending' ? [annotation('warning', record, 'repair pending')] : []
  })
}

function annotation(level: 'error' | 'warning', record: CaseRecord, what: string): string {
  const properties = Object.entries({
    file: record.file,
    line: String(record.line),
    title: `${record.caseId} ${what}`,
  }).map(([name, value]) => `${name}=${escapeAnnotationProperty(value)}`)
  const cause = describeCause(record)
  const more = describeDifferences(record.sample).filter((text) => !cause.includes(text))
  return `::${level} ${properties.join(',')}::${escapeAnnotation([cause, ...more].join('\n'))}`
}
