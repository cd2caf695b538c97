import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { inject } from 'vitest'
import type { Sandbox } from '../src/sandbox/sandbox-access.js'

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test was left out: what it is about, and what this machine has not. */
    leftOut?: string
  }
}

export interface Need {
  readonly skip?: true
  readonly meta?: { readonly leftOut: string }
}

/**
 * Returns the options of a test or suite that needs more of a machine than Node, npm, git, sh and coreutils: it is left out where
 * something is missing, and `tests/left-out.ts` counts it in the last lines of the run.
 *
 * @param subject what is tested: "unit tests for Python"
 * @param problem what is missing, in words; undefined if nothing is
 */
export function needing(subject: string, problem: string | undefined): Need {
  return problem === undefined ? {} : { skip: true, meta: { leftOut: `${subject} left out: ${problem}` } }
}

const { problem: pythonProblem, sandboxProblems } = inject('python')

/** For what runs an interpreter with pytest in the strongest sandbox of this machine. */
export const needsPython = needing('unit tests for Python', pythonProblem)

/** For what runs an interpreter with pytest in one sandbox. */
export const needsSandbox = (name: Sandbox['name']): Need =>
  pythonProblem === undefined ? needing(`the sandbox ${name}`, sandboxProblems[name]) : needsPython

const runs = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0

export const needsTerminal = needing(
  'questions in a terminal',
  runs('script', '--version') ? undefined : '`script` (util-linux) is not here',
)

/** For what runs scripts that are written for bash. */
export const needsBash = needing(
  'scripts of bash',
  runs('bash', '--version') ? undefined : 'bash is not here',
)

export const needsTar = needing(
  'the packed package',
  runs('tar', '--version') && runs('gzip', '--version') ? undefined : 'tar or gzip is not here',
)

/** For what runs `git submodule`, which is a script. */
export const needsSubmodules = needing(
  'submodules',
  runs('git', 'submodule', 'status') ? undefined : '`git submodule` does not run here',
)

export const needsProc = needing(
  'processes',
  existsSync('/proc/self/status') ? undefined : '/proc is not here',
)

export const needsFullDevice = needing(
  'a disk that is full',
  existsSync('/dev/full') ? undefined : '/dev/full is not here',
)

export const needsRoot = needing('what root meets', process.getuid?.() === 0 ? undefined : 'this is not root')

export const needsTwoCores = needing(
  'queries side by side',
  availableParallelism() < 2 ? 'this machine has one core' : undefined,
)

/** For what reads lists of hostile inputs and corpora of queries that stand beside the repository. */
export function needsShared(...paths: readonly string[]): Need {
  const missing = paths.some((path) => !existsSync(resolve(import.meta.dirname, '../../shared', path)))
  return needing('shared lists and corpora', missing ? 'the folder ../shared is not here' : undefined)
}
