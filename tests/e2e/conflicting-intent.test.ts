import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openStore } from '../../src/store/store.js'
import { autotest, removeFolders } from './sample.js'
import {
  append,
  drifted,
  driftedSnippet,
  gitRepository,
  goodSnippet,
  read,
  smallProject,
  snippetPath,
  write,
} from './small-project.js'

afterEach(removeFolders)

const metricPath = 'kb/metrics/gmv.yaml'

/** A project in which a commit with this message took the filter out of the snippet. */
function changedOnPurpose(message: string, before: (dir: string) => void = () => undefined) {
  const dir = smallProject()
  const git = gitRepository(dir)
  before(dir)
  git('add', '--all')
  git('commit', '--quiet', '--allow-empty', '--message=more')
  write(dir, snippetPath, driftedSnippet)
  git('commit', '--quiet', '--all', `--message=${message}`)
  return { dir, git }
}

describe('knowledge that was changed on purpose', () => {
  it('is left as it is, with both sides shown, and repaired once somebody decides so', async () => {
    const { dir, git } = changedOnPurpose(
      'GMV: cancelled orders count too, status is no longer filtered (finance)',
    )
    const held = await autotest(dir, ['--yes', '--reporter', 'console'])
    expect(held.code).toBe(1)
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
    expect(git('log', '--format=%s').trim().split('\n')).toHaveLength(3)
    expect(held.out).toContain('conflicting intent')
    expect(held.out).toContain('Needs a decision')
    expect(held.out).toMatch(/changed by +commit \w+ \(\d{4}-\d\d-\d\d\) "GMV: cancelled orders count too/)
    expect(held.out).toMatch(/cases +gmv_id, last changed by commit \w+ \(\d{4}-\d\d-\d\d\) "start"/)
    expect(held.out).toContain("WHERE day BETWEEN '2025-11-01' AND '2025-11-30'")
    expect(held.out).toContain('autotest --follow-benchmark gmv_id')

    const followed = await autotest(dir, [
      '--yes',
      '--follow-benchmark',
      'gmv_id',
      '--follow-benchmark',
      'gmv_th',
    ])
    expect(followed.code).toBe(0)
    expect(read(dir, snippetPath)).toBe(goodSnippet)
  })

  it('is rejected by its id like any other repair, and not held again', async () => {
    const { dir } = changedOnPurpose('drop the status filter, finance wants all orders')
    await autotest(dir, ['--yes'])
    const rejected = await autotest(dir, [
      'reject',
      'last',
      '--repair',
      'p1',
      '--reason',
      'finance wants all orders',
    ])
    expect(rejected).toMatchObject({ code: 0, out: expect.stringContaining('autotest.decisions.yaml') })
    expect((await autotest(dir, ['apply', 'last', '--repair', 'p1'])).code).toBe(2)
    const again = await autotest(dir, ['--yes'])
    expect([again.code, read(dir, snippetPath)]).toEqual([1, driftedSnippet])
    expect(again.out).toMatch(/rejected on \d{4}-\d\d-\d\d by .+: finance wants all orders/)
    expect(again.out).not.toContain('HELD')
  })

  it.each<[string, string, (dir: string) => void]>([
    [
      'a metric that points to another snippet',
      'kb/snippets/all.sql',
      (dir) => {
        write(dir, 'kb/snippets/all.sql', driftedSnippet)
        write(dir, metricPath, read(dir, metricPath).replace('gmv.sql', 'all.sql'))
      },
    ],
    [
      'a snippet that is written anew under another name',
      'kb/snippets/all.sql',
      (dir) => {
        rmSync(join(dir, snippetPath))
        write(dir, 'kb/snippets/all.sql', driftedSnippet.replace('FROM orders', 'FROM\n  orders'))
        write(dir, metricPath, read(dir, metricPath).replace('gmv.sql', 'all.sql'))
      },
    ],
  ])('is held whatever files the change touched: %s', async (_, path, change) => {
    const dir = smallProject()
    const git = gitRepository(dir)
    change(dir)
    git('add', '--all')
    git('commit', '--quiet', '--message=GMV: cancelled orders count too, finance asked for it')
    const text = read(dir, path)
    const { code, out } = await autotest(dir, ['--yes'])
    expect([code, read(dir, path)]).toEqual([1, text])
    expect(out).toContain('finance asked for it')
  })

  it('is held where a note of the same age says that the rows count', async () => {
    const dir = smallProject({
      ...drifted,
      'kb/notes/orders.md': '# Conventions\n\nNothing is filtered by status.\n',
    })
    const { code, out } = await autotest(dir, ['--yes', '--reporter', 'console'])
    expect([code, read(dir, snippetPath)]).toEqual([1, driftedSnippet])
    expect(out).toContain('kb/notes/orders.md:3')
  })

  it('is a question in the run database, to be answered later', async () => {
    const { dir } = changedOnPurpose('drop the status filter, finance wants all orders')
    await autotest(dir, ['--yes'])
    const store = await openStore(`${dir}/reports/autotest.db`, { readonly: true, now: () => new Date() })
    try {
      const run = store.latestRun({})
      const [question, ...more] = store.runDetail(run?.id ?? '')?.questions ?? []
      expect(more).toEqual([])
      expect(question).toMatchObject({
        id: 'q1',
        kind: 'conflicting_intent',
        subject: 'metric gmv',
        answer: undefined,
        cases: [{ id: 'gmv_id' }, { id: 'gmv_th' }],
        repair: 'p1',
        options: [
          { answer: 'follow_knowledge' },
          { answer: 'follow_benchmark' },
          { answer: 'accept', how: `autotest apply ${run?.id} --repair p1` },
        ],
      })
      expect(question?.change).toMatchObject({
        subject: 'drop the status filter, finance wants all orders',
        lines: { path: snippetPath, before: [expect.stringContaining("status = 'paid'")] },
      })
      expect(Date.parse(question?.expiresAt ?? '')).toBeGreaterThan(Date.parse(question?.askedAt ?? ''))
    } finally {
      store.close()
    }
  })

  it.each([
    'Refactor',
    'tidy up',
    'Update gmv.sql',
    'orders: new index on status',
    'Remove the condition on status',
    'drop the status filter',
    'Try autotest',
  ])('is drift where nobody gave a reason: %s', async (message) => {
    const { dir } = changedOnPurpose(message)
    const { code } = await autotest(dir, ['--yes'])
    expect([code, read(dir, snippetPath)]).toEqual([0, goodSnippet])
  })

  it.each([
    ['GMV: cancelled orders count too, as agreed with finance', driftedSnippet],
    ['Refactor', goodSnippet],
    ['tax: leave out returns, as agreed with finance', goodSnippet],
  ])('is held in a clone of the last commit only where that says so: %s', async (message, then) => {
    const { dir, git } = changedOnPurpose(message)
    const clone = smallProject()
    rmSync(clone, { recursive: true })
    git('clone', '--quiet', '--depth=1', `file://${dir}`, clone)
    for (const [key, value] of [
      ['user.name', 'Tester'],
      ['user.email', 'tester@example.com'],
    ])
      git('-C', clone, 'config', key ?? '', value ?? '')
    const { code, out } = await autotest(clone, ['--yes', '--reporter', 'console'])
    expect([code, read(clone, snippetPath)]).toEqual([then === goodSnippet ? 0 : 1, then])
    if (code === 1) expect(out).toContain('would contradict what is written: commit')
    expect(out).not.toContain('change what is written at commit')
  })

  it('is drift where only an older note names the column', async () => {
    const note = (dir: string) =>
      write(dir, 'kb/notes/orders.md', '# Orders\n\nThe status of an order: paid, cancelled.\n')
    const { dir } = changedOnPurpose('wip', note)
    const { code } = await autotest(dir, ['--yes'])
    expect([code, read(dir, snippetPath)]).toEqual([0, goodSnippet])
  })

  it('is held where a later note says so, whatever its own commit says', async () => {
    const { dir, git } = changedOnPurpose('wip')
    write(dir, 'kb/notes/gmv.md', '# GMV\n\nGMV: never filter on status.\n')
    git('add', '--all')
    git('commit', '--quiet', '--message=notes')
    const { code, out } = await autotest(dir, ['--yes', '--reporter', 'console'])
    expect([code, read(dir, snippetPath)]).toEqual([1, driftedSnippet])
    expect(out).toContain('kb/notes/gmv.md:3')
  })

  it('is held where a comment beside it contradicts the repair, without git', async () => {
    const dir = smallProject({
      [snippetPath]: `-- Counts paid and cancelled orders: never filter on status.\n${driftedSnippet}`,
    })
    const { code, out } = await autotest(dir, ['--yes', '--reporter', 'console'])
    expect(code).toBe(1)
    expect(read(dir, snippetPath)).toContain(driftedSnippet)
    expect(out).toContain('never filter on status')
    expect(out.replaceAll(/\s+/gu, ' ')).toContain(
      `--repair p1 (then change what is written at ${snippetPath}:1)`,
    )
  })

  it('is followed where the cases were changed after it', async () => {
    const { dir, git } = changedOnPurpose('drop the status filter')
    const text = read(dir, 'benchmarks/gmv.yaml')
    write(dir, 'benchmarks/gmv.yaml', text.replaceAll("AND status = 'paid' ", ''))
    git('commit', '--quiet', '--all', '--message=cases without status')
    write(dir, 'benchmarks/gmv.yaml', text)
    git('commit', '--quiet', '--all', '--message=finance: GMV is of paid orders after all')
    const { code } = await autotest(dir, ['--yes'])
    expect([code, read(dir, snippetPath)]).toEqual([0, goodSnippet])
  })

  it('is proved and held, and written once somebody accepts it', async () => {
    const { dir } = changedOnPurpose('GMV: cancelled orders count too (finance)')
    const { out } = await autotest(dir, ['--yes', '--reporter', 'console'])
    const command = /autotest (apply r-\w+ --repair p\d+)/.exec(out)?.[1]
    expect(command).toBeDefined()
    const applied = await autotest(dir, (command ?? '').split(' '))
    expect([applied.code, read(dir, snippetPath)]).toEqual([0, goodSnippet])
    expect((await autotest(dir, ['--no-repair'])).code).toBe(0)
  })

  it('is not shown by the commit that created the files, whatever its message says', async () => {
    const dir = smallProject({ [snippetPath]: driftedSnippet })
    const git = gitRepository(dir)
    git('commit', '--quiet', '--amend', '--message=GMV: cancelled orders count too, by decision of finance')
    const { code } = await autotest(dir, ['--yes'])
    expect([code, read(dir, snippetPath)]).toEqual([0, goodSnippet])
  })

  it('is not shown by a commit that only moved the file', async () => {
    const dir = smallProject({ [snippetPath]: driftedSnippet })
    const git = gitRepository(dir)
    const [from, metric] = ['kb/snippets/old.sql', 'kb/metrics/gmv.yaml']
    const declaration = read(dir, metric)
    git('mv', snippetPath, from)
    write(dir, metric, declaration.replace('snippet: gmv.sql', 'snippet: old.sql'))
    git('commit', '--quiet', '--all', '--message=start elsewhere')
    git('mv', from, snippetPath)
    write(dir, metric, declaration)
    git(
      'commit',
      '--quiet',
      '--all',
      '--message=Snippets are named after their metrics from now on (data team)',
    )
    const { code } = await autotest(dir, ['--yes'])
    expect([code, read(dir, snippetPath)]).toEqual([0, goodSnippet])
  })

  it('is held where the same commit changed another case of the metric with it', async () => {
    const dir = smallProject()
    const git = gitRepository(dir)
    write(dir, snippetPath, driftedSnippet)
    const text = read(dir, 'benchmarks/gmv.yaml')
    write(dir, 'benchmarks/gmv.yaml', text.replace("AND status = 'paid' ", ''))
    git('commit', '--quiet', '--all', '--message=update')
    const { code } = await autotest(dir, ['--yes'])
    expect([code, read(dir, snippetPath)]).toEqual([1, driftedSnippet])
  })

  it('refuses to follow a case that does not exist', async () => {
    const dir = smallProject()
    append(dir, 'autotest.config.yaml', '')
    const { code, err } = await autotest(dir, ['--follow-benchmark', 'gmv_ix'])
    expect(code).toBe(2)
    expect(err).toContain('--follow-benchmark gmv_ix: no such case')
    expect(err).toContain('Did you mean gmv_i')
  })
})
