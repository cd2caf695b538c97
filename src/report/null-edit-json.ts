import { isFalseAlarm, isNoisy, type NullEditReport } from '../audit/null-edit.js'
import { jsonText } from '../text/escape.js'

/** Renders the noise for programs, as text. */
export function nullEditJson(report: NullEditReport): string {
  const { cases } = report
  const summary = {
    cases: cases.length,
    noisy: cases.filter(isNoisy).length,
    falseAlarms: cases.filter(isFalseAlarm).length,
  }
  return `${jsonText({ ...report, summary }, 2)}\n`
}
