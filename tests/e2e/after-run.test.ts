import { afterAll, describe, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import { append, drifted, gitRepository, read, smallProject, snippetPath } from './small-project.js'

afterAll(removeFolders)

const ordersPath = 'kb/metrics/orders.yaml'

/** A filter lost, and an alias. */
const twoCauses = {
  ...drifted,
  [ordersPath]:
    'metric: orders\ntitle: Orders\naliases: [sold]\nsnippet: orders.sql\nparameters:\n  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand], VN: [Vietnam] } }\n  period: { type: date_range }\n',
}

it('a dry run in a pipe shows the diff of each plan', async () => {
  const { out } = await autotest(smallProject(twoCauses), ['--dry-run'])
  const [first = '', second = ''] = out.split(/^PLANNED /m).slice(1)
  expect(first).toMatch(/^\+ {2}AND status = 'paid'$/m)
  expect(second).toMatch(/^\+.*orders/m)
})

describe('autotest apply of a run that made no plan', () => {
  it('says that it was no dry run, and what to do', async () => {
    const dir = smallProject(drifted)
    await autotest(dir, ['--no-repair'])
    const measured = await autotest(dir, ['apply', 'last'])
    expect(measured.err).toMatch(/run r-\w+ is not a dry run: it only evaluated; there is nothing to apply/)
    expect([measured.code, measured.err.includes('autotest --dry-run')]).toEqual([2, true])
    await autotest(dir, ['--no-commit'])
    const repaired = await autotest(dir, ['apply', 'last'])
    expect(repaired.err).toContain('is not a dry run: its repairs are already in the files')
    expect(repaired.err).toMatch(/autotest revert r-\w+ reverts them/)
    await autotest(dir, [])
    expect((await autotest(dir, ['apply', 'last'])).err).toContain('is not a dry run, and repaired nothing')
    await autotest(dir, ['--dry-run'])
    expect((await autotest(dir, ['apply', 'last'])).err).toContain('has no verified repair')
  })
})

describe('autotest revert', () => {
  it('that is refused names the repairs that can be taken back by themselves', async () => {
    const dir = smallProject(twoCauses)
    await autotest(dir, ['--no-commit'])
    append(dir, snippetPath, '-- mine\n')
    const { code, err } = await autotest(dir, ['revert', 'last'])
    expect(err).toContain(`error  ${snippetPath} was changed since the repair; nothing was reverted`)
    const other = /The others can be reverted:\s+autotest (revert r-\w+\s+--repair p\d)\./.exec(err)?.[1]
    expect([code, other === undefined]).toEqual([1, false])
    const one = await autotest(dir, other?.split(/\s+/) ?? [])
    expect(one.out).toContain(`Reverted orders: alias "orders" was missing: ${ordersPath}`)
    expect(read(dir, ordersPath)).toBe(twoCauses[ordersPath])
  })

  it('of a run that only measured names the last one that wrote', async () => {
    const dir = smallProject(drifted)
    await autotest(dir, ['--no-commit'])
    const [, writing] = /run (r-\w+)/.exec((await autotest(dir, ['runs', 'show', 'last'])).out) ?? []
    await autotest(dir, ['--no-repair'])
    const { code, out } = await autotest(dir, ['revert', 'last'])
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^Run r-\\w+ wrote nothing: nothing to revert\\. The last run that wrote: autotest revert ${writing}\n$`,
        ),
      ),
    ])
  })

  it('is told of by runs show', async () => {
    const dir = smallProject(twoCauses)
    await autotest(dir, ['--no-commit'])
    expect((await autotest(dir, ['runs', 'show', 'last'])).out).toMatch(/ {3}3 repaired {3}/)
    await autotest(dir, ['revert', 'last', '--repair', 'p2'])
    const shown = (await autotest(dir, ['runs', 'show', 'last'])).out
    expect(shown).toMatch(/3 repaired, 1 of them reverted later/)
    await autotest(dir, ['revert', 'last'])
    expect((await autotest(dir, ['runs', 'show', 'last'])).out).toContain('3 repaired, reverted later')
  })
})

it('--yes ends with what it could not commit, and how to undo that alone', async () => {
  const dir = smallProject(twoCauses)
  gitRepository(dir)
  append(dir, snippetPath, '-- mine\n')
  const { code, out } = await autotest(dir, ['--yes', '--allow-dirty'])
  expect(out).toContain(
    `Not committed: gmv: filter status = 'paid' was missing: ${snippetPath} had uncommitted changes before this run`,
  )
  expect(out).toMatch(
    /1 repair is in the working tree, not committed: kb\/snippets\/gmv\.sql · undo with autotest revert r-\w+ --repair p1$/m,
  )
  expect(out).toMatch(/repaired=3 .*uncommitted=1 .*exit=1/)
  expect(code).toBe(1)
})
