import type { LintReport } from '../lint/lint.js'
import { jsonText } from '../text/escape.js'

/** Renders the check of a knowledge base for programs, as text. */
export function lintJson(report: LintReport, engine: string): string {
  return `${jsonText({ engine, ...report }, 2)}\n`
}
