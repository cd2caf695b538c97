import { listOf } from '../app/project/project.js'
import { AutotestError } from '../errors.js'
import type { RunFlags } from './flags.js'

const maxRepeats = 100

/** Throws `AutotestError('usage')` for flags that contradict each other or are out of range. */
export function checkFlags(flags: RunFlags): void {
  const clash = (a: keyof RunFlags, b: keyof RunFlags): void => {
    if (flags[a] === true && flags[b] === true) {
      throw new AutotestError('usage', `--${a} and --${b} contradict each other`, {
        hint: 'Give one of them.',
      })
    }
  }
  clash('dry-run', 'no-repair')
  clash('yes', 'no-commit')
  clash('dry-run', 'yes')
  const { repeat } = flags
  if (repeat !== undefined && !(Number.isInteger(repeat) && repeat >= 1 && repeat <= maxRepeats))
    throw new AutotestError('usage', `--repeat ${repeat}: must be a whole number from 1 to ${maxRepeats}`)
  if (flags.record !== undefined && flags.replay !== undefined) {
    throw new AutotestError('usage', '--record and --replay contradict each other', {
      hint: 'Give one of them.',
    })
  }
  if (flags.list === true && flags.output !== undefined) {
    throw new AutotestError('usage', '--list and --output contradict each other: --list runs nothing', {
      hint: 'Leave out --output, or give it without --list.',
    })
  }
  if (flags['last-failed'] === true && listOf(flags.id).length > 0) {
    throw new AutotestError('usage', '--last-failed and --id contradict each other', {
      hint: 'Give one of them.',
    })
  }
}
