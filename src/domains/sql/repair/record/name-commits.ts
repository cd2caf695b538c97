import type { HistoryContext } from '../model/knowledge-history.js'

const commitAlone = /\bcommit [0-9a-f]{7,40}\b(?! \()/gu
const longestSubject = 60

/**
 * Returns a text in which each commit is named by date and subject where it is first mentioned: nobody knows a commit by its
 * hash.
 */
export async function nameCommits(
  text: string,
  { history }: Pick<HistoryContext, 'history'>,
): Promise<string> {
  let named = text
  for (const by of new Set(text.match(commitAlone))) {
    const [commit] = (await history?.commitsOf?.(by)) ?? []
    if (commit?.date === undefined) continue
    const { date, subject } = commit
    const said = subject === undefined ? '' : `, "${shortened(subject)}"`
    named = named.replace(new RegExp(`${by}(?! \\()`, 'u'), () => `${by} (${date}${said})`)
  }
  return named
}

function shortened(subject: string): string {
  return subject.length > longestSubject ? `${subject.slice(0, longestSubject - 1)}…` : subject
}
