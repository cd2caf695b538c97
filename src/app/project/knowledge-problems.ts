import { parseKnowledgeBase } from '../../kb/parse.js'
import type { Snapshot } from '../../snapshot/snapshot.js'

const shown = 10

/**
 * Returns the problems of the knowledge base as lines for people: files that could not be read, then entries
 * that cannot be used.
 */
export function knowledgeProblems(
  snapshot: Snapshot,
  kbFolder: string,
  unread: readonly { readonly path: string; readonly message: string }[],
  absent: readonly { readonly path: string }[],
): string[] {
  const { problems } = parseKnowledgeBase(snapshot, kbFolder)
  // A snippet that exists and cannot be read, or is not checked out, must not be created.
  const isNews = ({ hint }: { readonly hint?: string | undefined }): boolean =>
    ![...unread, ...absent].some(({ path }) => hint?.includes(path) === true)
  const lines = [
    ...unread.map(({ path, message }) => `${path}: ${message}`),
    ...problems.filter(isNews).map((problem) => {
      const hint = problem.hint === undefined ? '' : ` (${problem.hint})`
      return `${problem.path}:${problem.line}:${problem.column}  ${problem.message}${hint}`
    }),
  ]
  const more = lines.length - shown
  return more > 0 ? [...lines.slice(0, shown), `and ${more} more problems in the knowledge base`] : lines
}

/** Returns the paths of files that could not be read, or that have an entry which cannot be used. */
export function unusableFiles(
  snapshot: Snapshot,
  kbFolder: string,
  unread: readonly string[],
  absent: readonly { readonly path: string }[],
): string[] {
  const { problems } = parseKnowledgeBase(snapshot, kbFolder)
  // An entry is not at fault because what it names is not checked out.
  const broken = problems
    .filter(({ severity, hint }) => severity === 'error' && !absent.some(({ path }) => hint?.includes(path)))
    .map(({ path }) => path)
  return [...new Set([...unread, ...broken])].sort()
}
