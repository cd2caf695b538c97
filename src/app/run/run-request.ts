import { resolve } from 'node:path'
import { AutotestError } from '../../errors.js'
import type { RunMode } from '../../store/record-types.js'
import type { ProjectRequest } from '../project/project-request.js'
import { parseShard } from '../project/shard.js'

/** A request for one run. */
export interface RunRequest extends ProjectRequest {
  /** Undefined: `repair`, or the mode of the run that `resume` names. */
  readonly mode?: RunMode | undefined
  /**
   * Whether repairs are committed: `ask` leaves it to the caller's `decide`, and keeps them pending in the
   * working tree if there is none; `never` keeps them there.
   */
  readonly commit: 'ask' | 'always' | 'never'
  /** Whether files with the user's uncommitted changes are repaired too; they are not committed. */
  readonly allowDirty?: boolean | undefined
  /**
   * Cases whose expected queries are followed although people wrote that the knowledge was changed on purpose;
   * each must exist.
   */
  readonly followBenchmark?: readonly string[] | undefined
  /** How often each case is asked, from 1 to 100; undefined: once. */
  readonly repeat?: number | undefined
  /** The unfinished run to continue. */
  readonly resume?: ResumeRequest | undefined
  /** Folder to record replies of models in. */
  readonly record?: string | undefined
  /** Folder of recorded replies that are used instead of models. */
  readonly replay?: string | undefined
  /** Report files to write besides those in the run's folder: `.json`, `.xml` or `.md`. */
  readonly reports?: readonly string[] | undefined
}

export interface ResumeRequest {
  /**
   * The id of a run, the beginning of one, or `last`; undefined: the latest of the project that can be
   * resumed.
   */
  readonly run: string | undefined
}

const maxRepeats = 100

/** Throws `usage` for values that contradict each other or are out of range. */
export function checkRunRequest(request: RunRequest): void {
  const { repeat, record, replay, lastFailed, ids = [], shard, mode, resume } = request
  if (repeat !== undefined && !(Number.isInteger(repeat) && repeat >= 1 && repeat <= maxRepeats))
    throw new AutotestError('usage', `--repeat ${repeat}: must be a whole number from 1 to ${maxRepeats}`)
  if (record !== undefined && replay !== undefined) throw contradiction('--record', '--replay')
  if (lastFailed === true && ids.length > 0) throw contradiction('--last-failed', '--id')
  if (shard === undefined) return
  parseShard(shard)
  if (lastFailed === true) throw contradiction('--shard', '--last-failed')
  if (mode !== 'evaluate' && resume === undefined)
    throw new AutotestError(
      'usage',
      '--shard runs a part of the benchmark, which says too little to repair by',
      {
        hint: 'Add --no-repair; what failed in all parts is repaired once: autotest merge DIR… --repair.',
      },
    )
}

function contradiction(one: string, other: string): AutotestError {
  return new AutotestError('usage', `${one} and ${other} cannot be combined`, {
    hint: 'Use only one of them.',
  })
}

/** @returns the absolute path */
export function resolveFolder(folder: string | undefined, cwd: string): string | undefined {
  return folder === undefined ? undefined : resolve(cwd, folder)
}
