import { describe, expect, it } from 'vitest'
import { type Terminal, withSafeOutput } from '../../src/cli/terminal.js'

function shown(interactive: boolean, use: (terminal: Terminal) => void): string[] {
  const lines: string[] = []
  const keep = (text: string): void => void lines.push(text)
  const plain = { out: keep, command: keep, err: keep, status: keep, ask: async () => undefined }
  use(
    withSafeOutput({ ...plain, interactive, color: false, width: 80 }, (text) =>
      text.replaceAll('hunter2', '***'),
    ),
  )
  return lines
}

describe('the output of a program', () => {
  it('has no command for a build runner in a log, except those that are meant as one', () => {
    const lines = shown(false, (terminal) => {
      terminal.out('::error::x')
      terminal.err('note  ##[error]y')
      terminal.command('::error file=a.yaml::hunter2')
    })
    expect(lines).toEqual([': :error::x', 'note  # #[error]y', '::error file=a.yaml::***'])
  })

  it('is shown as it is on a terminal, without secrets', () => {
    expect(shown(true, (terminal) => terminal.out('::hunter2'))).toEqual(['::***'])
  })
})
