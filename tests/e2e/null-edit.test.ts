import { afterAll, describe, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import { smallProject, userFiles } from './small-project.js'

afterAll(removeFolders)

const answer = `SELECT market, sum(amount) AS gmv FROM orders WHERE day BETWEEN '2025-11-01' AND '2025-11-30' AND status = 'paid' AND market = 'ID' GROUP BY market`
/** Right on every second question, whatever it knows. */
const flaky = `let asked = 0
export default () => (asked++ % 2 === 0 ? { type: 'sql', sql: ${JSON.stringify(answer)} } : { type: 'no_answer', message: 'not now' })
`
const project = (deterministic: boolean) =>
  smallProject({
    'autotest.config.yaml': `engine: sqlite:shop.sqlite\nagent: { kind: module, path: agents/flaky.mjs, deterministic: ${deterministic} }\nlimits: { concurrency: 1 }\n`,
    'agents/flaky.mjs': flaky,
  })

describe('autotest audit --null-edit', () => {
  it('finds no noise in an agent that answers alike, and touches nothing', async () => {
    const dir = smallProject()
    const before = userFiles(dir)
    const { code, out } = await autotest(dir, ['audit', '--null-edit', '--trials', '2'])
    expect(out).toBe(
      'autotest audit --null-edit  3 cases · 2 trials before and after · agent template\n\nnoise floor: 0 of 3 cases changed verdict, although nothing changed\n',
    )
    expect(code).toBe(0)
    expect(userFiles(dir)).toEqual(before)
  })

  it('counts the cases of a flaky agent and names them: exit 1', async () => {
    const { code, out } = await autotest(project(false), ['audit', '--null-edit', '--id', 'gmv_id'])
    expect(out).toContain(' gmv_id   passed 2 of 3 before, 1 of 3 after')
    expect(out).toContain('noise floor: 1 of 1 case changed verdict')
    expect(out).toContain('Lower the temperature of the agent')
    expect(code).toBe(1)
  })

  it('tells a repair that would have been refused, and an agent that is not as deterministic as it says', async () => {
    const { out } = await autotest(project(true), ['audit', '--null-edit', '--id', 'gmv_id', '--trials', '1'])
    expect(out).toContain(' gmv_id   passed 1 of 1 before, 0 of 1 after')
    expect(out.replaceAll('\n', ' ')).toContain('a repair would have been rejected for breaking 1 of them')
    expect(out).toContain('deterministic: false')
  })

  it.each([
    [['--trials', '2'], '--trials only applies to --null-edit'],
    [['--null-edit', '--trials', '0'], '--trials 0: must be a whole number from 1'],
  ])('%j is refused', async (flags, message) => {
    expect(await autotest(smallProject(), ['audit', ...flags])).toMatchObject({
      code: 2,
      err: expect.stringContaining(message),
    })
  })
})
