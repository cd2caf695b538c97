import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { autotest, cli, removeFolders, scratchFolder } from '../e2e/sample.js'
import { drifted, smallProject } from '../e2e/small-project.js'

afterAll(removeFolders)

const text = readFileSync('docs/scale.md', 'utf8')
const fileOf = (name: string) =>
  parse(new RegExp(`<!-- scale: ${name} -->\n\`\`\`yaml\n([\\s\\S]*?)\`\`\``).exec(text)?.[1] ?? '')

/** Runs a line of the docs in a folder, with this build as `npx --no-install autotest`. */
function shell(line: string, cwd: string, env: Record<string, string> = {}) {
  const command = line.replaceAll('npx --no-install autotest', `"${process.execPath}" "${cli}"`)
  return spawnSync('sh', ['-c', command], { cwd, env: { ...process.env, ...env }, encoding: 'utf8' })
}

/** A benchmark of 30 cases, ten of which the drifted knowledge gets wrong. */
const cases = Array.from({ length: 30 }, (_, at) => {
  const day = String(1 + (at % 28)).padStart(2, '0')
  const period = `from 2025-11-${day} to 2025-11-30`
  const where = `day BETWEEN '2025-11-${day}' AND '2025-11-30' AND market = 'ID'`
  const sql =
    at % 3 === 0
      ? `SELECT market, sum(amount) AS gmv FROM orders WHERE ${where} AND status = 'paid' GROUP BY market`
      : `SELECT count(*) AS orders FROM orders WHERE ${where}`
  return `  - id: c${at}\n    question: ID ${at % 3 === 0 ? 'GMV' : 'orders'} ${period}\n    expected_sql: "${sql}"\n`
})
const project = () => smallProject({ ...drifted, 'benchmarks/gmv.yaml': `cases:\n${cases.join('')}` })

/** What a report says, apart from times and names of runs. */
function verdictsIn(file: string) {
  const report = JSON.parse(readFileSync(file, 'utf8'))
  // Each part asks the database anew what others have asked before it.
  const { run, summary, cases, engines: _asked, ...rest } = report
  const same = JSON.stringify({
    ...rest,
    run: { ...run, id: '', startedAt: '', finishedAt: '', root: '' },
    summary: { ...summary, ms: 0 },
    cases: cases.map((record: object) => ({ ...record, ms: 0 })),
  })
  return same.replaceAll(/r-[0-9a-f]{4,}/g, 'r-x')
}

const merged = (dir: string) =>
  autotest(dir, [
    'merge',
    ...readdirSync(join(dir, 'shards')).map((name) => `shards/${name}`),
    '-o',
    'all.json',
  ])

describe('the files of docs/scale.md', () => {
  it('GitHub: three shards, one killed and repeated, are the run of one process', async () => {
    const { jobs } = fileOf('github')
    const line = jobs.shard.steps.find(({ run }: { run?: string }) => run?.includes('--shard')).run
    const dir = project()
    mkdirSync(join(dir, 'shards'))
    for (const shard of jobs.shard.strategy.matrix.shard) {
      const copy = scratchFolder()
      cpSync(dir, copy, { recursive: true })
      const command = line.replace(`\${{ matrix.shard }}`, String(shard))
      if (shard === 2) {
        // Killed at some moment; the job is then run again.
        const args = [cli, '--no-repair', '--shard', '2/3']
        const killed = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore' })
        setTimeout(() => killed.kill('SIGKILL'), 350)
        await new Promise((resolve) => killed.once('exit', resolve))
      }
      expect(shell(command, copy).status).toBe(1)
      cpSync(join(copy, 'reports'), join(dir, 'shards', `shard-${shard}`), { recursive: true })
    }
    const mergeLine = jobs.merge.steps.find(({ run }: { run?: string }) => run?.includes('merge')).run
    const result = shell(`${mergeLine} -o all.json`, dir)
    expect([result.status, result.stdout]).toEqual([1, expect.stringMatching(/\| *30 \|.*20 \|/)])
    const one = project()
    await autotest(one, ['--no-repair', '-o', 'all.json'])
    expect(verdictsIn(join(dir, 'all.json'))).toBe(verdictsIn(join(one, 'all.json')))
  })

  it('GitLab: parts by its variables, then merged', async () => {
    const { shard } = fileOf('gitlab')
    const dir = project()
    for (let index = 1; index <= shard.parallel; index += 1) {
      const env = { CI_NODE_INDEX: String(index), CI_NODE_TOTAL: String(shard.parallel) }
      expect(
        shell(
          shard.script.find((line: string) => line.includes('--shard')),
          dir,
          env,
        ).status,
      ).toBe(1)
      for (const line of shard.after_script) expect(shell(line, dir, env).status).toBe(0)
    }
    expect((await merged(dir)).out).toMatch(/total=30 passed=20 repaired=0 failed=10/)
  })

  it('Kubernetes: parts by the index of the job, each with a run database of its own', async () => {
    const { spec } = fileOf('kubernetes')
    const [container] = spec.template.spec.containers
    const dir = project()
    for (let index = 0; index < spec.completions; index += 1) {
      const line = container.args[0].replaceAll('/shared/', `${dir}/shards/`)
      expect(shell(line, dir, { JOB_COMPLETION_INDEX: String(index) }).status).toBe(0)
    }
    expect((await merged(dir)).out).toMatch(/total=30 passed=20 repaired=0 failed=10/)
  })
})

describe('autotest merge', () => {
  const shards = async (dir: string, flags: string[] = [], count = 2) => {
    for (let index = 1; index <= count; index += 1)
      await autotest(dir, [
        '--no-repair',
        '--shard',
        `${index}/${count}`,
        '--db',
        `shards/${index}/autotest.db`,
        ...flags,
      ])
  }

  it('--repair repairs once what failed in any part, without asking again', async () => {
    const dir = project()
    await shards(dir)
    const run = await autotest(dir, ['merge', 'shards/1', 'shards/2', '--repair', '--no-commit'])
    expect(run.out).toMatch(/total=30 passed=20 repaired=10 failed=0/)
    expect(readFileSync(join(dir, 'kb/snippets/gmv.sql'), 'utf8')).toContain("status = 'paid'")
  })

  it('--timings divides the next parts by time', async () => {
    const dir = project()
    await shards(dir)
    await autotest(dir, ['merge', 'shards/1', 'shards/2', '--timings'])
    const { ms } = JSON.parse(readFileSync(join(dir, 'autotest.timings.json'), 'utf8'))
    expect(Object.keys(ms)).toHaveLength(30)
    await shards(dir)
    expect((await merged(dir)).out).toMatch(/total=30/)
  })

  it.each([
    ['a missing part', ['shards/1'], /shard 2\/2 is missing/],
    [
      'a part twice',
      ['shards/1', 'shards/2', 'shards/2'],
      /shard 2\/2 is there twice: shards\/2 and shards\/2/,
    ],
    ['no such folder', ['shards/1', 'shards/9'], /shards\/9: no shard to merge, as it does not exist/],
    ['no run database', ['kb'], /it holds no run database/],
  ])('%s is refused', async (_what, folders, message) => {
    const dir = project()
    await shards(dir)
    const run = await autotest(dir, ['merge', ...folders])
    expect([run.code, run.err]).toEqual([2, expect.stringMatching(message)])
  })

  it('parts of another benchmark are refused', async () => {
    const dir = project()
    await shards(dir)
    const other = smallProject()
    cpSync(join(dir, 'shards'), join(other, 'shards'), { recursive: true })
    const run = await autotest(other, ['merge', 'shards/1', 'shards/2'])
    expect([run.code, run.err]).toEqual([
      2,
      expect.stringMatching(/of another benchmark than the one of this folder: c\d+ is not here/),
    ])
  })

  it('parts with other flags, other cases or other knowledge are refused', async () => {
    const dir = project()
    await shards(dir)
    for (const [name, flags] of [
      ['flags', ['--fuzz', '0']],
      ['cases', ['--id', 'c1,c2,c3']],
    ] as const) {
      await autotest(dir, ['--no-repair', '--shard', '2/2', '--db', `other/${name}/autotest.db`, ...flags])
      const run = await autotest(dir, ['merge', 'shards/1', `other/${name}`])
      expect([run.code, run.err]).toEqual([
        2,
        expect.stringMatching(/do not belong together: the (?:flags|cases) differ/),
      ])
    }
  })

  it.each([
    ['3/2', /beyond the last one/],
    ['0/2', /begins at 1/],
    ['half', /must be two numbers/],
  ])('--shard %s', async (shard, message) => {
    const run = await autotest(project(), ['--no-repair', '--shard', shard])
    expect([run.code, run.err]).toEqual([2, expect.stringMatching(message)])
  })

  it('more parts than cases: the empty ones end well', async () => {
    const dir = smallProject()
    await shards(dir, [], 5)
    expect((await merged(dir)).out).toMatch(/total=3 passed=3/)
  })

  it('a broken file of times is named', async () => {
    const dir = smallProject({ 'autotest.timings.json': '{"version": 2}' })
    const run = await autotest(dir, ['--no-repair', '--shard', '1/2'])
    expect([run.code, run.err]).toEqual([2, expect.stringMatching(/autotest\.timings\.json cannot be read/)])
  })
})
