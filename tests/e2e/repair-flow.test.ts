import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { planDigest } from '../../src/app/project/plan-file.js'
import { autotest, removeFolders } from './sample.js'
import {
  append,
  drifted,
  driftedSnippet,
  goodSnippet,
  read,
  smallProject,
  snippetPath,
  userFiles,
  write,
} from './small-project.js'

afterAll(removeFolders)

const repaired = goodSnippet

/** A filter lost, and an alias. */
const twoCauses = {
  ...drifted,
  'kb/metrics/orders.yaml':
    'metric: orders\ntitle: Orders\naliases: [sold]\nsnippet: orders.sql\nparameters:\n  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand], VN: [Vietnam] } }\n  period: { type: date_range }\n',
}

describe('a run without a terminal', () => {
  it('writes a proved repair and leaves the decision open: exit 1 without --yes, undone by revert to the byte', async () => {
    const dir = smallProject(drifted)
    const before = userFiles(dir)
    const run = await autotest(dir, [])
    expect(run.out).toMatch(/REPAIRED metric gmv \(2 cases, E2\): kb\/snippets\/gmv\.sql -0 \+1/)
    expect(run.out).toMatch(
      /1 repair is in the working tree, not committed: kb\/snippets\/gmv\.sql · undo with autotest revert r-/,
    )
    expect(run.out).toContain(
      'total=3 passed=1 repaired=2 failed=0 unproven=0 errored=0 uncommitted=1 llm_calls=0 exit=1',
    )
    expect(run.code).toBe(1)
    expect(read(dir, snippetPath)).toBe(repaired)

    const reverted = await autotest(dir, ['revert', 'last'])
    expect(reverted.out).toContain(`Reverted gmv: filter status = 'paid' was missing: ${snippetPath}`)
    expect(reverted.code).toBe(0)
    expect(userFiles(dir)).toEqual(before)
    expect((await autotest(dir, ['revert', 'last'])).out).toContain('is already reverted')
  })

  it('exits 0 where --no-commit said to leave the repairs in the tree', async () => {
    const dir = smallProject(drifted)
    expect(await autotest(dir, ['--no-commit'])).toMatchObject({ code: 0, err: '' })
    expect(read(dir, snippetPath)).toBe(repaired)
  })

  it('refuses to revert a file that was changed since, and leaves it alone', async () => {
    const dir = smallProject(drifted)
    await autotest(dir, ['--no-commit'])
    append(dir, snippetPath, '-- mine\n')
    const { code, err } = await autotest(dir, ['revert', 'last'])
    expect(err).toContain(`error  ${snippetPath} was changed since the repair; nothing was reverted`)
    expect(code).toBe(1)
    expect(read(dir, snippetPath)).toBe(`${repaired}-- mine\n`)
  })

  it('measures only under --no-repair: differences in words, nothing written', async () => {
    const dir = smallProject(drifted)
    const before = userFiles(dir)
    const { code, out } = await autotest(dir, ['--no-repair'])
    expect(out).toContain("FAIL gmv_id: filter missing: status = 'paid'; 1 of 1 rows differ")
    expect(code).toBe(1)
    expect(userFiles(dir)).toEqual(before)
    expect((await autotest(dir, ['revert', 'last'])).out).toContain('wrote nothing')
  })

  it('proposes nothing under --max-retries 0, and still says the cause', async () => {
    const dir = smallProject(drifted)
    const { code, out } = await autotest(dir, ['--max-retries', '0'])
    expect(out).toMatch(/FAIL gmv_id: filter missing: .* · wrong definition: /)
    expect(out).toContain('repaired=0 failed=2')
    expect(code).toBe(1)
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
  })

  it('leaves a repair that rests on one case to a person under --min-grade E2', async () => {
    const dir = smallProject(drifted)
    const { code, out } = await autotest(dir, ['--min-grade', 'E2', '--id', 'gmv_id'])
    expect(out).toContain('--min-grade E2 leaves it for review')
    expect(code).toBe(1)
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
    const accepted = await autotest(dir, ['--id', 'gmv_id', '--no-commit'])
    expect(accepted.out).toContain('REPAIRED metric gmv (1 case, E1)')
  })

  it('judges by rows alone under --policy results, where the default asks for more than luck', async () => {
    // Every order here has one of the two; nothing says that none ever has another.
    const lucky = `SELECT count(*) AS orders
FROM orders
WHERE market = {{ market }} AND day BETWEEN {{ period.start }} AND {{ period.end }} AND status IN ('paid', 'cancelled')
`
    const dir = smallProject({ 'kb/snippets/orders.sql': lucky })
    const careful = await autotest(dir, ['--id', 'orders_id', '--no-repair'])
    expect(careful.out).toMatch(/^(UNPROVEN|FAIL) orders_id: /m)
    expect(careful.code).toBe(1)
    expect((await autotest(dir, ['--id', 'orders_id', '--no-repair', '--policy', 'results'])).code).toBe(0)
  })
})

describe('--dry-run', () => {
  it('saves a verified plan and writes nothing; apply writes it once, revert takes it back', async () => {
    const dir = smallProject(drifted)
    const before = userFiles(dir)
    const run = await autotest(dir, ['--dry-run'])
    expect(run.out).toContain('PLANNED metric gmv (2 cases, E2)')
    expect(run.out).toContain('pending=2')
    expect(run.out).toMatch(/^Nothing was written · apply with: autotest apply r-\w+$/m)
    expect(run.code).toBe(1)
    expect(userFiles(dir)).toEqual(before)
    const id = /^autotest (r-\w+):/.exec(run.out)?.[1] ?? ''
    expect(JSON.parse(read(dir, `reports/${id}/plan.json`))).toMatchObject({ autotest: 'plan', run: id })
    expect((await autotest(dir, ['revert', id])).out).toContain('was a dry run and wrote nothing')

    const applied = await autotest(dir, ['apply', id])
    expect(applied.out).toContain(`Applied gmv: filter status = 'paid' was missing: ${snippetPath}`)
    expect(applied.code).toBe(0)
    expect(read(dir, snippetPath)).toBe(repaired)
    expect(await autotest(dir, ['apply', `reports/${id}/plan.json`])).toMatchObject({
      code: 0,
      out: expect.stringContaining('is already applied'),
    })
    expect((await autotest(dir, ['revert', id])).code).toBe(0)
    expect(userFiles(dir)).toEqual(before)
  })

  it('is refused by apply where a file has changed since, naming it', async () => {
    const dir = smallProject(drifted)
    await autotest(dir, ['--dry-run'])
    append(dir, snippetPath, '-- mine\n')
    const { code, err } = await autotest(dir, ['apply', 'last'])
    expect(err).toContain(
      `error  ${snippetPath} has changed since the plan was verified; nothing was written`,
    )
    expect(err).toContain('autotest --dry-run')
    expect(code).toBe(1)
    expect(read(dir, snippetPath)).toBe(`${driftedSnippet}-- mine\n`)
  })

  it('is refused by apply where somebody edited it: nobody verified that', async () => {
    const dir = smallProject(drifted)
    const run = await autotest(dir, ['--dry-run'])
    const path = `reports/${/^autotest (r-\w+):/.exec(run.out)?.[1]}/plan.json`
    const after = Buffer.from(repaired).toString('base64')
    const other = Buffer.from(repaired.replace('paid', 'open')).toString('base64')
    write(dir, path, read(dir, path).replace(after, other))
    const { code, err } = await autotest(dir, ['apply', path])
    expect(err).toContain('was changed since its repairs were verified')
    expect(code).toBe(2)
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
  })

  it('of several repairs is applied whole or not at all', async () => {
    const dir = smallProject(twoCauses)
    const run = await autotest(dir, ['--dry-run'])
    expect(run.out.match(/^PLANNED/gm)).toHaveLength(2)
    append(dir, 'kb/metrics/orders.yaml', '# mine\n')
    const before = userFiles(dir)
    const { err } = await autotest(dir, ['apply', 'last'])
    expect(err).toContain('error  kb/metrics/orders.yaml has changed since')
    expect(userFiles(dir)).toEqual(before)
  })

  it('brings files to what it planned: what stands already is said, what was reverted is written again', async () => {
    const dir = smallProject(twoCauses)
    await autotest(dir, ['--dry-run'])
    expect((await autotest(dir, ['runs', 'show', 'last'])).out).toMatch(
      /^Plan 2 of 2 {3}p2 · missing alias · /m,
    )
    await autotest(dir, ['apply', 'last'])
    const applied = userFiles(dir)
    expect((await autotest(dir, ['runs'])).out).toMatch(/0\/3 +3 uncommitted /)
    const shown = (await autotest(dir, ['runs', 'show', 'last'])).out
    expect(shown).toContain('Repaired\n')
    expect(shown).not.toContain('Nothing was written')
    const story = (await autotest(dir, ['why', 'gmv_id'])).out
    expect(story).toMatch(/^✓? ?.*repaired$/m)
    expect(story).not.toContain('pending')

    await autotest(dir, ['revert', 'last', '--repair', 'p2'])
    const again = await autotest(dir, ['apply', 'last'])
    expect(again.out).toContain(`Already in place: gmv: filter status = 'paid' was missing: ${snippetPath}`)
    expect(again.out).toContain('Applied orders: alias "orders" was missing: kb/metrics/orders.yaml')
    expect(again.code).toBe(0)
    expect(userFiles(dir)).toEqual(applied)
    expect((await autotest(dir, ['revert', 'last'])).code).toBe(0)
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
  })

  it('is refused by apply and revert where a folder took the place of its file', async () => {
    const dir = smallProject(drifted)
    await autotest(dir, ['--dry-run'])
    await autotest(dir, ['apply', 'last'])
    rmSync(join(dir, snippetPath))
    mkdirSync(join(dir, snippetPath))
    const applied = await autotest(dir, ['apply', 'last'])
    expect(applied.err).toContain('is not a regular file')
    expect(applied.code).toBe(2)
    const reverted = await autotest(dir, ['revert', 'last'])
    expect(reverted.err).toContain('is a folder, where a file was')
    expect(reverted.code).toBe(1)
  })

  const outside = {
    run: 'r-0000',
    knowledge: 'x',
    repairs: [
      {
        id: 'a',
        title: 't',
        grade: 'E1',
        diff: [],
        changes: [{ path: 'benchmarks/gmv.yaml', before: null, after: '' }],
      },
    ],
  }
  it.each([
    ['no JSON', 'half a plan {', 'is not JSON'],
    ['another shape', '{"autotest": "plan"}', 'is not a dry-run plan'],
    [
      'a path outside the knowledge base',
      JSON.stringify({ autotest: 'plan', ...outside, sha256: planDigest(outside) }),
      'benchmarks/gmv.yaml',
    ],
  ])('from a file with %s is refused', async (_, text, message) => {
    const dir = smallProject()
    write(dir, 'plan.json', text)
    const before = userFiles(dir)
    const { code, err } = await autotest(dir, ['apply', 'plan.json'])
    expect(err).toContain(message)
    expect(code).toBe(2)
    expect(userFiles(dir)).toEqual(before)
  })
})
