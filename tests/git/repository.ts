import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, vi } from 'vitest'
import { scratchFolder } from '../edit/folder-tree.js'

/** Keeps the settings of whoever runs the tests out of them. */
function isolateGit(): void {
  vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null')
  vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1')
  for (const name of Object.keys(process.env)) {
    if (/^GIT_(AUTHOR|COMMITTER|DIR|WORK_TREE|INDEX_FILE|PREFIX)/.test(name)) vi.stubEnv(name, undefined)
  }
}

/** Git is isolated in each test of the file; each folder that the result is given is removed after its test. */
export function isolatedFolders(): (folder: string) => string {
  const folders: string[] = []
  beforeEach(isolateGit)
  afterEach(() => {
    vi.unstubAllEnvs()
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
  })
  return (folder) => {
    folders.push(folder)
    return folder
  }
}

/** Runs git as the user would. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

export function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** A repository with an identity of its own and one commit of the given files. */
export function repository(
  files: Record<string, string> = { 'kb/a.sql': 'a1\n', 'kb/b.sql': 'b1\n' },
): string {
  const folder = scratchFolder('git')
  git(folder, 'init', '--quiet', '--initial-branch=main')
  git(folder, 'config', 'user.name', 'Ana Lyst')
  git(folder, 'config', 'user.email', 'ana@example.com')
  for (const [path, text] of Object.entries(files)) write(folder, path, text)
  git(folder, 'add', '--all')
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'start')
  return folder
}

export function hook(folder: string, name: string, script: string): void {
  const path = join(folder, '.git/hooks', name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
}

/** Adds a repository to another one as its submodule, and commits that. */
export function submodule(folder: string, path: string, from: string): void {
  git(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', from, path)
  git(folder, 'commit', '--quiet', '--message', 'submodule')
}

/** The program that \`git\` is. */
export function whereGitIs(): string {
  return execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
}

/** A PATH whose git takes every repository for another user's. */
export function foreignGit(made: (folder: string) => string): string {
  const folder = made(scratchFolder('foreign'))
  const real = whereGitIs()
  write(folder, 'git', `#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec '${real}' "$@"\n`)
  chmodSync(join(folder, 'git'), 0o755)
  return `${folder}:${process.env['PATH']}`
}
