import type { MutantOutcome } from '../../testgen/python/worker-results.js'
import { oneLine, plural } from '../format-text.js'
import { paint, type Screen, wrap } from './screen-layout.js'

/** How many survivors of one function are shown before the rest is only counted. */
const maxSurvivors = 5

/** Returns `14 of 16 mutants killed (88%)`. */
export function mutantCounts(mutants: readonly MutantOutcome[]): string {
  const run = mutants.filter(({ outcome }) => outcome !== 'not_run')
  const killed = run.filter(({ outcome }) => outcome === 'killed').length
  const notRun = mutants.length - run.length
  const left = notRun === 0 ? '' : `, ${notRun} not run`
  if (run.length === 0) return `no mutants${left}`
  return `${killed} of ${plural(run.length, 'mutant')} killed (${Math.floor((100 * killed) / run.length)}%)${left}`
}

/** Returns a line for each mutant that no test notices: `survived  line 12  quantity < 0 → quantity <= 0`. */
export function survivorLines(
  mutants: readonly MutantOutcome[],
  screen: Screen,
  most = maxSurvivors,
): string[] {
  const survivors = mutants.filter(({ outcome }) => outcome === 'survived')
  const left = survivors.length - most
  return [
    ...survivors.slice(0, most).flatMap((mutant) => mutantLines(mutant, survivalWord(mutant), screen)),
    ...(left > 0 ? [paint(screen, 'detail', `     … ${left} more: autotest mutants shows all`)] : []),
  ]
}

function survivalWord({ by }: MutantOutcome): string {
  return by === 'crash' ? 'survived (the process ended before a test had a result)' : 'survived'
}

/** Returns the lines for one mutant. */
export function mutantLines({ line, before, after }: MutantOutcome, word: string, screen: Screen): string[] {
  return wrap(`${word}  line ${line}  ${oneLine(before)}  →  ${oneLine(after)}`, screen.width - 5, 10).map(
    (text) => `     ${text}`,
  )
}
