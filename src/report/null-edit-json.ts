import { isFalseAlarm, isNoisy, type NullEditReport } from '../audit/null-edit.js'

/** Renders the noise for programs, as text. */
export function nullEditJson(report: NullEditReport): string {
  const { cases } = report
  const summary = {
    cases: cases.length,
    noisy: cases.filter(isNoisy).length,
    falseAlarms: cases.filter(isFalseAlarm).length,
  }
  return `${JSON.stringify({ ...report, summary }, null, 2)}\n`
}
