import { simpleGit } from 'simple-git'

const identity = ['user.name=autotest', 'user.email=autotest@localhost', 'commit.gpgsign=false']

/** Makes a folder a repository and commits its content. False if git is not installed. */
export async function createRepository(dir: string, message: string): Promise<boolean> {
  const { installed } = await simpleGit({ baseDir: dir }).version()
  if (!installed) return false
  const git = simpleGit({ baseDir: dir })
  await git.init()
  // `git init --initial-branch` is newer than many a git.
  await git.raw(['symbolic-ref', 'HEAD', 'refs/heads/main'])
  for (const setting of identity) {
    const [key = '', value = ''] = setting.split('=')
    await git.addConfig(key, value)
  }
  await commitEverything(dir, message)
  return true
}

/** Commits every change in a scratch repository. */
export async function commitEverything(dir: string, message: string): Promise<void> {
  const git = simpleGit({ baseDir: dir })
  await git.add(['--all'])
  await git.commit(message)
}
