import type { RunDetail, RunRecord } from '../store/record-types.js'
import { oneLine, plural } from './format-text.js'

/** The agent that answers from entries of other formats: what it shows is about the knowledge. */
const ownAgent = 'knowledge'

/** Returns the agent as the head of a report names it. */
export function describeAgent(
  { agent }: Pick<RunRecord, 'agent'>,
  name: (text: string) => string = oneLine,
): string {
  const own = agent === ownAgent ? " (answered by autotest's own agent, not yours)" : ''
  return `agent ${name(agent)}${own}`
}

/** Counts of cases that could be asked without showing the agent their own entry. */
export interface HonestShare {
  readonly asked: number
  readonly of: number
}

/** Returns how much of the benchmark could be asked honestly; undefined where no case has an entry of its own in sight. */
export function honestShare({ run, cases }: RunDetail): HonestShare | undefined {
  const answered = cases.filter(({ outcome }) => outcome !== 'skipped' && outcome !== 'errored')
  const copied = answered.filter(({ sample }) => sample.ownExample !== undefined).length
  if (run.agent !== ownAgent && copied === 0) return undefined
  return { asked: answered.length - copied, of: cases.length }
}

/** Returns `asked honestly: 9 of 20 cases`, and what was done with the others; empty if that is not to be said. */
export function describeHonestShare(detail: RunDetail): string[] {
  const share = honestShare(detail)
  if (share === undefined) return []
  const { asked, of } = share
  const copied = detail.cases.filter(({ sample }) => sample.ownExample !== undefined).length
  const others =
    copied === 0
      ? ''
      : detail.run.agent === ownAgent
        ? `; for ${copied} only their own entry answers, which was compared with the expected query`
        : `; ${copied} were answered from their own entry`
  return [`asked honestly: ${asked} of ${plural(of, 'case')}${others}`]
}
