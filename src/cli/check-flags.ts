import { AutotestError } from '../errors.js'
import type { RunFlags } from './flags.js'

/** Throws `AutotestError('usage')` for flags that contradict each other. */
export function checkFlags(flags: RunFlags): void {
  const clash = (a: keyof RunFlags, b: keyof RunFlags): void => {
    if (flags[a] === true && flags[b] === true) {
      throw new AutotestError('usage', `--${a} and --${b} cannot be combined`, {
        hint: 'Use only one of them.',
      })
    }
  }
  clash('dry-run', 'no-repair')
  clash('yes', 'no-commit')
  clash('dry-run', 'yes')
  clash('yes', 'no-repair')
  if (flags.list === true && flags.output !== undefined) {
    throw new AutotestError('usage', '--list and --output cannot be combined: --list runs nothing', {
      hint: 'Use only one of them.',
    })
  }
}
