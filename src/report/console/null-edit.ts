import { isFalseAlarm, isNoisy, type NullEditCase, type NullEditReport } from '../../audit/null-edit.js'
import { oneLine, plural } from '../format-text.js'
import { flowParts, paint, type Screen, truncateTo, wrap } from './screen-layout.js'

/**
 * Renders the noise for people: how many cases an edit that changes nothing affected, which, and what that
 * means for repairs.
 */
export function nullEditLines(report: NullEditReport, screen: Screen): string[] {
  const { cases, trials, agent, deterministic } = report
  const noisy = cases.filter(isNoisy)
  const alarms = cases.filter(isFalseAlarm)
  const facts = [
    `autotest audit --null-edit  ${plural(cases.length, 'case')}`,
    `${plural(trials, 'trial')} before and after`,
    `agent ${oneLine(agent)}`,
  ]
  const floor = `noise floor: ${noisy.length} of ${plural(cases.length, 'case')} changed verdict, although nothing changed`
  const veto = `a repair would have been rejected for breaking ${alarms.length} of them`
  const advice = adviceFor(noisy.length, deterministic)
  return [
    ...flowParts(facts, ' · ', screen).map((line) => paint(screen, 'heading', line)),
    '',
    ...noisy.map((one) => truncateTo(` ${describeCase(one)}`, screen.width)),
    ...(noisy.length === 0 ? [] : ['']),
    ...wrap(noisy.length === 0 ? floor : `${floor}; ${veto}`, screen.width, 3).map((line) =>
      paint(screen, noisy.length === 0 ? 'good' : 'repaired', line),
    ),
    ...(advice === undefined
      ? []
      : wrap(advice, screen.width, 3).map((line) => paint(screen, 'detail', line))),
  ]
}

/** Returns `dau_id   passed 3 of 3 before, 1 of 3 after`. */
function describeCase({ id, before, after }: NullEditCase): string {
  const passed = (verdicts: readonly string[]): string =>
    `${verdicts.filter((verdict) => verdict === 'pass').length} of ${verdicts.length}`
  return `${oneLine(id)}   passed ${passed(before)} before, ${passed(after)} after`
}

function adviceFor(noisy: number, deterministic: boolean): string | undefined {
  if (noisy === 0) return undefined
  return deterministic
    ? 'The agent is configured as deterministic but is not: set deterministic: false, or each case is asked only once.'
    : 'Lower the temperature of the agent, or set a seed: flaky cases are reported and never repaired.'
}
