import { execFile } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { afterAll, describe, expect, it } from 'vitest'
import { needsTerminal } from '../needs.js'
import { autotest, cli, inTerminal, removeFolders } from './sample.js'
import {
  drifted,
  driftedSnippet,
  gitRepository,
  goodSnippet,
  read,
  smallProject,
  snippetPath,
} from './small-project.js'

afterAll(removeFolders)

/** Ready for a question about its one repair. */
const question = (dir: string, columns?: number) => {
  const run = inTerminal(dir, [], columns)
  return { ...run, asked: run.says('[d] diff ›') }
}

/** Time in which the next question is asked, and in which an answer that was taken would have shown. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 500))

/** What a terminal shows: the last state of each line, without colours. */
const shown = (out: string): string[] =>
  stripVTControlCharacters(out)
    .split(/\r?\n/)
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))

describe('in a terminal, a repair ends with a question', needsTerminal, () => {
  it('y commits it', async () => {
    const dir = smallProject(drifted)
    const git = gitRepository(dir)
    const run = question(dir)
    await run.asked
    run.send('y\r')
    const { code, out } = await run.ended
    expect(out).toContain("gmv: filter status = 'paid' was missing")
    expect(out).toMatch(/Committed [0-9a-f]{7}/)
    expect(code).toBe(0)
    expect(git('status', '--porcelain')).toBe('')
  })

  it('holds the project until it is answered', async () => {
    const dir = smallProject(drifted)
    const run = question(dir)
    await run.asked
    const { code, err } = await autotest(dir, [])
    expect(err).toContain('another run has locked this project')
    expect(code).toBe(3)
    run.send('r\r')
    await run.ended
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
    // What was rejected at the prompt is not proposed again.
    const again = await autotest(dir, ['--no-commit'])
    expect([again.code, again.out]).toEqual([1, expect.stringContaining('rejected on')])
  })

  it('d shows the diff, another key is asked again, n keeps it', async () => {
    const dir = smallProject(drifted)
    gitRepository(dir)
    const run = question(dir)
    await run.asked
    run.send('d\r')
    await run.says("+  AND status = 'paid'")
    await settled()
    run.send('maybe\r')
    await run.says('Please answer y, n, r or d.')
    await settled()
    run.send('N\r')
    const { code, out } = await run.ended
    expect(out).toMatch(/Kept · undo with autotest revert r-/)
    expect(code).toBe(0)
    expect(read(dir, snippetPath)).toBe(goodSnippet)
  })

  it('r reverts it; without git no commit is offered', async () => {
    const dir = smallProject(drifted)
    const run = question(dir)
    await run.asked
    run.send('r\r')
    const { code, out } = await run.ended
    expect(out).toContain(
      'The project is not in a git repository: repairs can be kept or reverted, but not committed.',
    )
    expect(out).not.toContain('[y]')
    expect(out).toContain('Reverted gmv')
    expect(code).toBe(1)
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
  })

  it('p decides one by one: one committed, one reverted', async () => {
    const dir = smallProject(twoDrifts)
    const git = gitRepository(dir)
    const run = question(dir)
    await run.asked
    run.send('p\r')
    await run.says("gmv: filter status = 'paid' was missing:")
    await settled()
    run.send('y\r')
    await run.says('orders: alias "orders" was missing:')
    await settled()
    run.send('r\r')
    const { code, out } = await run.ended
    expect(out).toContain('2 repairs are ready:')
    expect(out).toContain('Reverted ')
    expect(code).toBe(1)
    expect(git('show', '--name-only', '--format=').trim()).toBe(snippetPath)
    expect(git('status', '--porcelain')).toBe('?? autotest.decisions.yaml\n')
  })

  it.each([
    ['Ctrl-C', '\u0003', 130],
    ['Ctrl-D', '\u0004', 1],
  ])('%s leaves it in the tree and says how to undo it', async (_, key, exit) => {
    const dir = smallProject(drifted)
    const run = question(dir)
    await run.asked
    run.send(key)
    const { code, out } = await run.ended
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(
      /1 repair is in the working tree, not committed: kb\/snippets\/gmv\.sql( ·)? undo with autotest revert r-/,
    )
    expect(out).not.toContain('--resume')
    expect(code).toBe(exit)
    expect(read(dir, snippetPath)).toBe(goodSnippet)
  })

  it('what was typed before a question was shown answers nothing', async () => {
    const dir = smallProject(twoDrifts)
    const git = gitRepository(dir)
    const run = inTerminal(dir, [])
    run.send('y\rp\ry')
    await run.says('[d] diff ›')
    await settled()
    expect(git('log', '--format=%s')).toBe('start\n')
    run.send('p\ry\ry\r')
    await run.says('[r] revert ›')
    await settled()
    run.send('n\ry\r')
    await run.says('orders: alias "orders" was missing:')
    await settled()
    run.send('r\r')
    const { code } = await run.ended
    expect(code).toBe(1)
    expect(git('log', '--format=%s')).toBe('start\n')
    expect(git('status', '--porcelain')).toBe(` M ${snippetPath}\n?? autotest.decisions.yaml\n`)
  })

  it('40 columns wide, no line is longer', async () => {
    const dir = smallProject({ ...drifted, 'kb/snippets/orders.sql': 'SELECT 1 AS one\n' })
    const run = question(dir, 40)
    await run.asked
    run.send('n\r')
    const { code, out } = await run.ended
    const lines = shown(out)
    // Only commands, which can be copied, are whole.
    const wide = lines.filter((line) => stringWidth(line) > 40)
    expect(wide.filter((line) => !/^ +autotest \S.*$/.test(line))).toEqual([])
    expect(lines.join('\n')).toContain('Needs review')
    expect(code).toBe(1)
  })

  it('colours nothing where NO_COLOR is set, and progress leaves no trace', async () => {
    const dir = smallProject()
    const run = inTerminal(dir, [], 80)
    const { code, out } = await run.ended
    expect(out).toContain('✓')
    expect(shown(out).join('\n')).not.toMatch(/\/3 cases\n/)
    expect(code).toBe(0)
  })
})

/** A lost filter, and a metric that lost the name that its case uses. */
const twoDrifts = {
  ...drifted,
  'kb/metrics/orders.yaml':
    'metric: orders\ntitle: Orders\naliases: [sold]\nsnippet: orders.sql\nparameters:\n  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand], VN: [Vietnam] } }\n  period: { type: date_range }\n',
}

describe('without a terminal', () => {
  it('plain lines are printed, no colour, no question', async () => {
    const { out } = await autotest(smallProject(drifted), [])
    expect(out).not.toContain('\u001b')
    expect(out).not.toContain('[y]')
  })

  it('a reader that goes away ends the output, not the run', async () => {
    const dir = smallProject(drifted)
    const command = `"${process.execPath}" "${cli}" --no-commit --reporter console json; echo "exit $?" >&2`
    const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
      execFile('sh', ['-c', `(${command}) | head -n 1`], { cwd: dir }, (_error, stdout, stderr) =>
        resolve({ stdout, stderr }),
      )
    })
    expect(stdout.trim().split('\n')).toHaveLength(1)
    expect(stderr.trim()).toBe('exit 0')
    expect(read(dir, snippetPath)).toBe(goodSnippet)
    expect((await autotest(dir, ['runs'])).out).toMatch(/ 1\/3 +2 uncommitted /)
  })
})
