import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { autotestProcess, type Ended, removeFolders, sampleCopy, scratchFolder } from './sample.js'

let place = ''
let demo = ''
let run: Ended
beforeAll(async () => {
  place = scratchFolder()
  demo = join(place, 'shop demo')
  run = await autotestProcess(place, ['demo', '--dir', demo])
}, 120_000)
afterAll(removeFolders)

describe('autotest demo', () => {
  it('keeps every promise about its drifts, and exits 0', () => {
    expect(run.err.replace(/^note .*\n/gm, '')).toBe('')
    expect(run.out).toMatch(/^(\d+) of \1 drifts ended as expected$/m)
    expect(run.code).toBe(0)
  })

  it('shows what drifted, what was repaired, and what a person has to look at', () => {
    expect(run.out).toContain(`A copy of the sample project is in ${demo}`)
    expect(run.out).toContain('Repaired')
    expect(run.out).toContain('suspect oracle')
    expect(run.out).toMatch(/run r-\w+/)
  })

  it('leaves a git repository there, with the repairs uncommitted, and touches nothing else', () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: demo, encoding: 'utf8' })
    expect(git('log', '--format=%s').trim().split('\n')).toHaveLength(2)
    expect(git('status', '--porcelain')).toMatch(/^( M kb\/.*\n)+$/)
    expect(readdirSync(place)).toEqual(['shop demo'])
  })

  it('writes only into a new or empty folder', async () => {
    const dir = scratchFolder()
    writeFileSync(join(dir, 'mine.txt'), '')
    const { code, err } = await autotestProcess(dir, ['demo', '--dir', '.'])
    expect(err).toContain('error  --dir .: the folder is not empty')
    expect(code).toBe(2)
    expect(readdirSync(dir)).toEqual(['mine.txt'])
  })
})

it('the sample project as it stands is green: autotest in its folder exits 0', async () => {
  const dir = sampleCopy()
  mkdirSync(join(dir, 'data'), { recursive: true })
  for (const file of ['shop.duckdb', 'shop.duckdb.fixture'])
    copyFileSync(join(demo, 'data', file), join(dir, 'data', file))
  const { code, out } = await autotestProcess(dir, [])
  expect(out).toMatch(/total=(\d+) passed=\1 repaired=0/)
  expect(code).toBe(0)
}, 60_000)
