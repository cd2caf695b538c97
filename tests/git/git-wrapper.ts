import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { whereGitIs, write } from './repository.js'

/** Options and placeholders that git learned after 2.20. */
const newer = [
  '--no-filter',
  '--refetch',
  '--diff-merges',
  '--initial-branch',
  '--path-format',
  '--sparse',
  '--remerge-diff',
  '%(trailers:key',
  '%(trailers:separator',
  'separator=',
  '%as',
  '%cs',
  '%(describe',
]
const newerCommands = ['switch', 'restore', 'sparse-checkout', 'maintenance']

/** Writes a `git` into a folder that refuses what git 2.20 does not know; returns a PATH that begins with it. */
export function gitOf2018(folder: string): string {
  const patterns = newer.map((word) => `*'${word}'*`).join('|')
  write(
    folder,
    'git',
    `#!/bin/sh
for each in "$@"; do
  case "$each" in
    ${patterns}|${newerCommands.join('|')}) echo "fatal: unrecognized argument: $each" >&2; exit 128;;
  esac
done
exec '${whereGitIs()}' "$@"
`,
  )
  chmodSync(join(folder, 'git'), 0o755)
  return `${folder}:${process.env['PATH']}`
}
