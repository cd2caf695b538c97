import type { LintReport } from '../lint/lint.js'

/** Renders the check of a knowledge base for programs, as text. */
export function lintJson(report: LintReport, engine: string): string {
  return `${JSON.stringify({ engine, ...report }, null, 2)}\n`
}
