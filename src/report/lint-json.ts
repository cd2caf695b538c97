import type { LintReport } from '../lint/lint.js'
import { jsonText } from '../text/escape.js'
import type { EntrySummary } from './console/lint.js'

/** Renders the check of a knowledge base for programs, as text. */
export function lintJson(report: LintReport, engine: string, entries?: EntrySummary): string {
  const parts = entries && { entries: entries.counts, taken: entries.taken, left: entries.left }
  return `${jsonText({ engine, ...report, ...parts }, 2)}\n`
}
