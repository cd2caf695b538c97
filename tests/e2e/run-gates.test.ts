import { afterEach, describe, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import {
  benchmarkPath,
  driftedSnippet,
  gitRepository,
  goodSnippet,
  read,
  smallProject,
  snippetPath,
  write,
} from './small-project.js'

afterEach(removeFolders)

interface Gate {
  readonly id: string
  readonly kind: string
  readonly subject: string
}

async function openGates(dir: string): Promise<readonly Gate[]> {
  return JSON.parse((await autotest(dir, ['gates', '--json'])).out)
}

const answer = (dir: string, gate: Gate | undefined, choice: string) =>
  autotest(dir, ['gates', 'answer', gate?.id ?? '', '--choice', choice])

/** A project in which a commit took the filter out of a snippet on purpose. */
function changedOnPurpose(): string {
  const dir = smallProject()
  const git = gitRepository(dir)
  write(dir, snippetPath, driftedSnippet)
  git('commit', '--quiet', '--all', '--message=GMV: cancelled orders count too, status is no longer filtered')
  return dir
}

describe('what a run hands over to people', () => {
  it('conflicting intent waits at a gate; the benchmark is right: the next run repairs', async () => {
    const dir = changedOnPurpose()
    await autotest(dir, ['--yes'])
    const [gate, ...more] = await openGates(dir)
    expect([gate?.kind, gate?.subject, more]).toEqual(['conflicting_intent', 'metric gmv', []])
    // Another night asks nothing more.
    await autotest(dir, ['--yes'])
    expect((await openGates(dir)).map(({ id }) => id)).toEqual([gate?.id])
    expect((await answer(dir, gate, 'A')).out).toContain('the next run repairs the knowledge')
    const { code, err } = await autotest(dir, ['--yes'])
    expect([code, read(dir, snippetPath)]).toEqual([0, goodSnippet])
    expect(err).toContain(`gate ${gate?.id}: the benchmark is right about gmv_id, gmv_th`)
    // It is carried out once.
    expect((await autotest(dir, ['--yes'])).err).not.toContain('the benchmark is right')
    expect(await openGates(dir)).toEqual([])
  })

  it('the knowledge is right: it is not asked again', async () => {
    const dir = changedOnPurpose()
    await autotest(dir, ['--yes'])
    const [gate] = await openGates(dir)
    expect((await answer(dir, gate, 'B')).out).toMatch(/autotest runs show r-\w+ shows the queries/)
    await autotest(dir, ['--yes'])
    expect([await openGates(dir), read(dir, snippetPath)]).toEqual([[], driftedSnippet])
  })

  it('a gate is settled where the cases pass by themselves', async () => {
    const dir = changedOnPurpose()
    await autotest(dir, ['--yes'])
    write(dir, snippetPath, goodSnippet)
    await autotest(dir, ['--yes'])
    expect(await openGates(dir)).toEqual([])
  })

  it('the plan of a dry run is applied, or rejected for good', async () => {
    for (const [choice, text] of [
      ['A', goodSnippet],
      ['B', driftedSnippet],
    ] as const) {
      const dir = smallProject({ [snippetPath]: driftedSnippet })
      await autotest(dir, ['--dry-run'])
      const [gate] = await openGates(dir)
      expect(gate?.kind).toBe('held_plan')
      expect((await answer(dir, gate, choice)).code).toBe(0)
      expect(read(dir, snippetPath)).toBe(text)
      await autotest(dir, ['--dry-run'])
      expect(await openGates(dir)).toEqual([])
    }
  })

  it('repairs that nobody was there to decide about stay, or are reverted', async () => {
    for (const [choice, text] of [
      ['A', goodSnippet],
      ['B', driftedSnippet],
    ] as const) {
      const dir = smallProject({ [snippetPath]: driftedSnippet })
      gitRepository(dir)
      await autotest(dir, [])
      const [gate] = await openGates(dir)
      expect([gate?.kind, read(dir, snippetPath)]).toEqual(['held_repairs', goodSnippet])
      expect((await answer(dir, gate, choice)).code).toBe(0)
      expect(read(dir, snippetPath)).toBe(text)
      expect(await openGates(dir)).toEqual([])
    }
  })

  it('a suspect expected answer waits at a gate', async () => {
    const dir = smallProject()
    write(dir, benchmarkPath, read(dir, benchmarkPath).replace(/FROM orders/, 'FROM ordres'))
    await autotest(dir, [])
    const [gate] = await openGates(dir)
    expect(gate?.kind).toBe('suspect_oracle')
    expect((await answer(dir, gate, 'A')).out).toMatch(/correct the expected answer: .*benchmarks\/.*:\d+/)
    await autotest(dir, [])
    expect(await openGates(dir)).toEqual([])
  })
})
