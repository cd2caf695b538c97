import { wrap } from '../../text/wrap-words.js'
import type { CommandGroup } from './command-groups.js'

/** Below it, a description has lines of its own instead of a column. */
const leastDescription = 30

/**
 * Returns the help of the flag parser, which was written without a limit of columns, at the width of a terminal: examples
 * first, the names of types left out, and no break inside a word, a path or a command.
 */
export function reflowHelp(text: string, width: number): string {
  const [usage = '', summary, ...rest] = text.replaceAll(typeNames, '').split('\n\n')
  const examples = rest.filter(isExamples)
  const others = rest.filter((section) => !isExamples(section))
  return [usage, ...[summary ?? []].flat(), ...examples, ...others]
    .map((section) => reflowSection(section, width))
    .join('\n\n')
}

/** Returns the help of a run: that of the main command, whose list of commands is on the first screen. */
export function runHelp(text: string, width: number): string {
  return reflowHelp(
    text
      .split('\n\n')
      .filter((section) => !section.startsWith('Commands:'))
      .join('\n\n'),
    width,
  )
}

/** Returns the commands of one subject, with what the help of the main command says about each. */
export function groupHelp(text: string, { title, commands }: CommandGroup, width: number): string {
  const section = text.split('\n\n').find((each) => each.startsWith('Commands:')) ?? ''
  const listed = section.split('\n').filter((line) => {
    const name = /^ {2}autotest (\S+)/.exec(line)?.[1]
    return commands.some((command) => command.name === name)
  })
  return reflowHelp(
    `${title}\n\nCommands:\n${listed.join('\n')}\n\nEach in full: autotest help COMMAND`,
    width,
  )
}

const typeNames = / {2}\[(?:string|boolean|number|array|count)\](?=\s|$)/gm

function isExamples(section: string): boolean {
  return section.startsWith('Examples:')
}

/** Each exit code has a line of its own. */
function exitCodeLines(section: string): string {
  const [, codes] = /^Exit codes: (.*)$/s.exec(section) ?? []
  if (codes === undefined) return section
  return ['Exit codes:', ...codes.split(' · ').map((code) => `  ${code.replace(' ', '  ')}`)].join('\n')
}

function reflowSection(section: string, width: number): string {
  return exitCodeLines(section)
    .split('\n')
    .flatMap((line) => reflowLine(line, width))
    .join('\n')
}

function reflowLine(line: string, width: number): string[] {
  const entry = /^( +\S.*?) {2,}(\S.*)$/.exec(line)
  if (entry === null) return line.startsWith(' ') ? [line] : wrap(line, width)
  const [, name = '', description = ''] = entry
  const column = line.length - description.length
  if (width - column < leastDescription)
    return [name, ...wrap(description, width - 8).map((part) => `        ${part}`)]
  return wrap(description, width - column).map((part, at) =>
    at === 0 ? line.slice(0, column) + part : ' '.repeat(column) + part,
  )
}
