import { execFile } from 'node:child_process'
import { z } from 'zod'
import { lastLine } from '../../text/last-line.js'
import { parseJson } from '../../text/parse-json.js'

/** An issue as a text that is written already. */
export interface IssueDraft {
  /** Names the gate, so that it is filed once only. */
  readonly title: string
  /** Absolute path of the text. */
  readonly file: string
}

export interface FileIssueOptions {
  /** Of the project, absolute; its repository gets the issue. */
  readonly root: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

const timeoutMs = 60_000
/** Issues that are looked through for one that is there already, newest first. */
const mostIssues = 200
const listed = z.array(z.object({ title: z.string(), url: z.string() }))

/** Files an issue by GitHub's `gh`, unless one of its title is there; returns in words what became of it, and never throws: the text stays. */
export async function fileIssue({ title, file }: IssueDraft, options: FileIssueOptions): Promise<string> {
  try {
    const issues = await gh(
      ['issue', 'list', '--state', 'all', '--limit', String(mostIssues), '--json', 'title,url'],
      options,
    )
    const known = listed.safeParse(parseJson(issues))
    const same = known.success ? known.data.find((each) => each.title === title) : undefined
    if (same !== undefined) return `filed already: ${same.url}`
    return `filed: ${lastLine(await gh(['issue', 'create', '--title', title, '--body-file', file], options))}`
  } catch (error) {
    return `not filed: ${error instanceof Error ? error.message : String(error)}`
  }
}

function gh(args: readonly string[], { root, env, signal }: FileIssueOptions): Promise<string> {
  const given = { ...env, GH_PROMPT_DISABLED: '1', NO_COLOR: '1' }
  const options = { cwd: root, env: given, timeout: timeoutMs, signal, maxBuffer: 5_000_000 }
  return new Promise((resolve, reject) => {
    execFile('gh', [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else if ('code' in error && error.code === 'ENOENT')
        reject(new Error('gh is not installed (https://cli.github.com)'))
      else reject(new Error(lastLine(stderr) || error.message))
    })
  })
}
