import { wrap } from '../../text/wrap-words.js'
import { commandGroups } from './command-groups.js'

const examples = [
  ['autotest', 'run, repair, offer a commit'],
  ['autotest --no-repair -o out.xml', 'measure only, JUnit for CI'],
] as const

/** In a narrower terminal, a column of purposes would be a tower of single words. */
const leastColumns = 62

/** Returns what `autotest --help` shows: examples, every command by subject, and where more is said. */
export function firstScreen(width: number): string {
  const lines = [
    ...wrap('autotest tests agents that write SQL or unit tests, and repairs what they know.', width),
    '',
    ...(width < leastColumns ? narrowLines(width) : wideLines()),
    '',
    ...wrap('autotest help run: every flag of a run, and the exit codes', width),
    ...wrap('autotest help TOPIC: a command, or one of the subjects above in lower case', width),
  ]
  return lines.join('\n')
}

function wideLines(): string[] {
  const exampleLines = examples.map(([line, purpose]) => `  ${line.padEnd(33)}${purpose}`)
  return [
    ...exampleLines,
    '',
    ...commandGroups.flatMap(({ title, commands }) => [
      title,
      ...commands.map(({ name, purpose }) => `  ${name.padEnd(11)}${purpose}`),
    ]),
  ]
}

function narrowLines(width: number): string[] {
  return [
    ...examples.map(([line]) => `  ${line}`),
    ...commandGroups.flatMap(({ title, commands }) =>
      wrap(`${title}: ${commands.map(({ name }) => name).join(', ')}`, width).map((line, at) =>
        at === 0 ? line : `  ${line}`,
      ),
    ),
  ]
}
