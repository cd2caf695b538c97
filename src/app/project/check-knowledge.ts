import { existsSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import type { Config } from '../../config/config.js'
import { AutotestError } from '../../errors.js'
import { literalPathspec, openGit } from '../../git/git.js'
import { findNotCheckedOut } from '../../git/not-checked-out.js'
import { parseKnowledgeBase } from '../../kb/parse.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { quoteShellArgument } from '../../text/shell-argument.js'
import { absentError } from './checkout.js'
import { describeUnread, unreadKnowledge } from './unread-files.js'

/**
 * Throws `kb_missing` if the knowledge base has no entry; the hint states whether git has files of it.
 *
 * @param advice what to do if it has none
 */
export async function checkKnowledge(snapshot: Snapshot, config: Config, advice: string): Promise<void> {
  const { root, kb } = config
  const { metrics, broken, snippets, notes, problems } = parseKnowledgeBase(snapshot, kb)
  if (metrics.length + broken.length + snippets.size + notes.length + problems.length > 0) return
  const absent = await findNotCheckedOut(root, [kb])
  if (absent.length > 0) throw absentError('kb_missing', `the knowledge base ${kb} is not there`, absent)
  const unread = await unreadKnowledge(config, snapshot)
  if (unread !== undefined)
    throw new AutotestError(
      'kb_missing',
      `the knowledge base ${kb} has no entry; ${describeUnread(unread)}`,
      {
        hint: `${advice} Markdown and pairs of question and query are read where the configuration names them: \`kb: ${kb}\`.`,
      },
    )
  const committed = (await deletedFiles(root, kb)).length
  throw new AutotestError('kb_missing', `the knowledge base ${kb} is missing or empty`, {
    hint:
      committed > 0
        ? `The last commit has ${committed === 1 ? 'one file' : `${committed} files`} there: \`git checkout HEAD -- ${quoteShellArgument(kb)}\` restores ${committed === 1 ? 'it' : 'them'}.`
        : advice,
  })
}

/** Returns the files in a folder of the last commit that are not on disk; none if there is no git or no commit. */
async function deletedFiles(root: string, folder: string): Promise<string[]> {
  try {
    const { exitCode, stdout } = await (await openGit(root))(
      'ls-tree',
      '-r',
      '-z',
      '--name-only',
      'HEAD',
      '--',
      literalPathspec(folder),
    )
    const names = exitCode === 0 ? stdout.split('\0').filter((name) => name !== '') : []
    return names.filter((name) => !existsSync(join(root, name)))
  } catch {
    return []
  }
}

/**
 * Throws `usage` for an output path in a folder that agents read: the file would be knowledge in the next
 * run.
 */
export function checkOutsideKnowledge(
  flag: string,
  paths: readonly string[],
  { root, kb, agents }: { readonly root: string; readonly kb: string; readonly agents: string },
): void {
  for (const path of paths) {
    const inside = [kb, agents].find((folder) => `${path}${sep}`.startsWith(`${resolve(root, folder)}${sep}`))
    if (inside === undefined) continue
    throw new AutotestError('usage', `${flag}: ${path} is in ${inside}/, which the agent reads`, {
      hint: 'Choose a path elsewhere, for example below reports/.',
    })
  }
}
