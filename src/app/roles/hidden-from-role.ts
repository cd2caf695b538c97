import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AutotestError } from '../../errors.js'
import { openGit } from '../../git/git.js'
import { plural } from '../../report/format-text.js'
import type { HiddenFile } from '../../roles/secret-files.js'
import type { PlacedFolder } from '../../sandbox/sandbox-access.js'

/** A command line has room for so many. */
const mostMasks = 1000
const mostNames = 5

/** What git has to know of a repository to read it; no address, no password, no program. */
const settingsOfRepository =
  '^(core\\.(repositoryformatversion|filemode|bare|ignorecase|symlinks|precomposeunicode|logallrefupdates|worktree)|extensions\\.(objectformat|refstorage|compatobjectformat))$'

/** Returns in words which files a role does not see in its sandbox; undefined where it misses nothing. */
export async function hiddenText(
  role: string,
  root: string,
  found: readonly HiddenFile[],
): Promise<string | undefined> {
  const hidden: HiddenFile[] = []
  for (const file of found) if (!(await isShownWhole(root, file.path))) hidden.push(file)
  if (hidden.length === 0) return undefined
  const named = hidden.slice(0, mostNames).map(({ path, reason }) => `${path} (${reason})`)
  const rest = hidden.length - named.length
  const names = [...named, ...(rest > 0 ? [`and ${plural(rest, 'more file')}`] : [])].join(', ')
  return `not in the sandbox, as ${role} does not read it (\`reads\` of the role): ${names}`
}

/**
 * Returns what is seen in place of files that a role may not read: nothing, and of a repository's settings what git needs to read it.
 *
 * @param paths relative to the root
 * @param folder where what is seen is written, absolute
 */
export async function maskFiles(
  root: string,
  paths: readonly string[],
  folder: string,
): Promise<readonly PlacedFolder[]> {
  if (paths.length > mostMasks)
    throw new AutotestError('sandbox_missing', `${plural(paths.length, 'file')} of ${root} hold keys`, {
      hint: `At most ${mostMasks} can be kept from a command: name those that the role needs in its \`reads\`, or move the others.`,
    })
  const masks: PlacedFolder[] = []
  for (const [at, path] of paths.entries()) {
    const mask = join(folder, `mask-${at}`)
    const text = isSettings(path) ? await repositorySettings(root, path) : ''
    await writeFile(mask, text, { mode: 0o444 })
    masks.push({ folder: mask, at: join(root, path), readOnly: true })
  }
  return masks
}

/** Reports whether a repository's settings are nothing but what is shown of them. */
async function isShownWhole(root: string, path: string): Promise<boolean> {
  if (!isSettings(path)) return false
  const git = await openGit(root)
  const file = ['config', '--file', join(root, path), '--no-includes', '--name-only']
  const [all, shown] = [
    await git(...file, '--list'),
    await git(...file, '--get-regexp', settingsOfRepository),
  ]
  return all.exitCode === 0 && all.stdout === shown.stdout
}

function isSettings(path: string): boolean {
  return basename(path) === 'config' && path.split('/').includes('.git')
}

async function repositorySettings(root: string, path: string): Promise<string> {
  const git = await openGit(root)
  const asked = ['config', '--file', join(root, path), '--no-includes', '-z', '--get-regexp']
  const { stdout } = await git(...asked, settingsOfRepository)
  return stdout
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [name = '', value = 'true'] = entry.split('\n')
      const [section = '', key = ''] = name.split('.')
      return `[${section}]\n\t${key} = ${JSON.stringify(value)}\n`
    })
    .join('')
}

/** Returns files and folders that hold all of a project but what is hidden: a sandbox that cannot put anything in place of a file allows only these. */
export function partsWithout(root: string, hidden: ReadonlySet<string>): readonly string[] {
  const opened = new Set<string>()
  for (const path of hidden) for (let at = dirname(path); at !== '.'; at = dirname(at)) opened.add(at)
  const parts: string[] = []
  const waiting = ['']
  if (hidden.size === 0) return [root]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const name of readdirSync(join(root, at))) {
      const path = at === '' ? name : `${at}/${name}`
      if (opened.has(path)) waiting.push(path)
      else if (!hidden.has(path)) parts.push(join(root, path))
    }
  return parts
}
