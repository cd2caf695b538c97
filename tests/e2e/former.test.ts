import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import {
  benchmarkPath,
  benchmarkText,
  driftedSnippet,
  gitRepository,
  goodSnippet,
  read,
  smallProject,
  snippetPath,
  write,
} from './small-project.js'

afterAll(removeFolders)

/** The benchmark with each query in a structure that no snippet of one SELECT has. */
const otherStructure = benchmarkText.replaceAll(
  /expected_sql: "(.*)"/g,
  (_line, sql: string) => `expected_sql: "${sql} INTERSECT ${sql}"`,
)

function driftedInGit(change: (dir: string) => void) {
  const dir = smallProject({ [benchmarkPath]: otherStructure })
  const git = gitRepository(dir)
  change(dir)
  git('add', '--all')
  git('commit', '--quiet', '--message', 'change')
  return { dir, commit: git('rev-parse', '--short', 'HEAD').trim() }
}

describe('a definition that drifted, with expected queries of another structure', () => {
  it('comes back from the history of its file, and says what it takes back', async () => {
    const { dir, commit } = driftedInGit((root) => write(root, snippetPath, driftedSnippet))
    const { code, out } = await autotest(dir, ['--no-commit'])
    expect(out).toMatch(/REPAIRED .*\(2 cases, E2\)/)
    const id = /^autotest (r-\w+):/.exec(out)?.[1] ?? ''
    const report = read(dir, `reports/${id}/report.md`)
    expect(report).toContain(`gmv: as it was before commit ${commit}`)
    // A commit is named by date and subject, never by its hash alone.
    expect(report).toMatch(
      new RegExp(
        `with ${snippetPath} as it was before commit ${commit} \\(\\d{4}-\\d\\d-\\d\\d, "change"\\), gmv returns the rows of the expected`,
      ),
    )
    expect([code, read(dir, snippetPath)]).toEqual([0, goodSnippet])
  })

  it('stays where the change that did it changed the expected query of another case as well', async () => {
    const { dir, commit } = driftedInGit((root) => {
      write(root, snippetPath, driftedSnippet)
      const [before, th = ''] = otherStructure.split('  - id: gmv_th')
      write(root, benchmarkPath, `${before}  - id: gmv_th${th.replaceAll(" AND status = 'paid'", '')}`)
    })
    const { out, err } = await autotest(dir, ['--no-commit', '--id', 'gmv_id'])
    expect(`${out}${err}`).toMatch(
      new RegExp(
        `changed on purpose: commit ${commit} \\([-\\d]{10}, "change"\\) also changed the expected query of gmv_th`,
      ),
    )
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
  })

  it('comes back where its file was deleted, before that is committed and after', async () => {
    for (const isCommitted of [false, true]) {
      const dir = smallProject({ [benchmarkPath]: otherStructure })
      const git = gitRepository(dir)
      rmSync(join(dir, snippetPath))
      if (isCommitted) git('commit', '--quiet', '--all', '--message', 'tidy up')
      const { code, out } = await autotest(dir, ['--no-commit'])
      expect(out).toMatch(/REPAIRED metric gmv \(2 cases, E2\): \S+ -0 \+\d/)
      expect([code, read(dir, snippetPath)]).toEqual([0, goodSnippet])
      expect(git('status', '--porcelain', snippetPath)).toBe(isCommitted ? `?? ${snippetPath}\n` : '')
    }
  })
})
