import { AutotestError } from '../../errors.js'
import { nearest } from '../../text/nearest-word.js'
import { type CommandGroup, commandGroups } from './command-groups.js'

/** What is asked with `autotest help`, `-h` or `--help` alone. */
export type HelpRequest =
  | { readonly kind: 'first_screen' }
  | { readonly kind: 'run' }
  | { readonly kind: 'group'; readonly group: CommandGroup }
  | { readonly kind: 'command'; readonly words: readonly string[] }

/**
 * Returns the help that the arguments ask for; undefined if they ask for something else. A topic is a command, `run`, or
 * a subject of the first screen. Throws `usage` for any other.
 */
export function helpRequest(args: readonly string[]): HelpRequest | undefined {
  const [first, ...words] = args
  if (args.length === 1 && (first === '--help' || first === '-h')) return { kind: 'first_screen' }
  if (first !== 'help') return undefined
  const [name, ...below] = words.filter((word) => !word.startsWith('-'))
  if (name === undefined) return { kind: 'first_screen' }
  if (name === 'run') return { kind: 'run' }
  const group = commandGroups.find(({ topic }) => topic === name.toLowerCase())
  if (group !== undefined) return { kind: 'group', group }
  const commands = commandGroups.flatMap((each) => each.commands.map((command) => command.name))
  if (commands.includes(name)) return { kind: 'command', words: [name, ...below] }
  const topics = ['run', ...commandGroups.map(({ topic }) => topic), ...commands]
  const meant = nearest(name, topics)
  throw new AutotestError('usage', `no help on "${name}"`, {
    hint:
      meant === undefined
        ? `The topics are ${topics.join(', ')}.`
        : `did you mean \`autotest help ${meant}\`?`,
  })
}
