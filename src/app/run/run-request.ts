import { resolve } from 'node:path'
import { AutotestError } from '../../errors.js'
import type { RunMode } from '../../store/records.js'
import type { ProjectRequest } from '../project/project-request.js'

/** One run as its caller asks for it. */
export interface RunRequest extends ProjectRequest {
  /** Undefined: `repair`, or the mode of the run that `resume` names. */
  readonly mode?: RunMode | undefined
  /**
   * Whether repairs are committed: `ask` leaves it to the caller's `decide`, and keeps them pending in the working tree
   * where there is none; `never` keeps them there.
   */
  readonly commit: 'ask' | 'always' | 'never'
  /** Whether files with uncommitted changes of the user's are repaired too; they are not committed. */
  readonly allowDirty?: boolean | undefined
  /** How often each case is asked, from 1 to 100; undefined: once. */
  readonly repeat?: number | undefined
  /** The unfinished run to go on with. */
  readonly resume?: ResumeRequest | undefined
  /** Folder that replies of models are recorded to. */
  readonly record?: string | undefined
  /** Folder of recorded replies that answer instead of models. */
  readonly replay?: string | undefined
  /** Report files to write beside those in the run's folder: `.json`, `.xml` or `.md`. */
  readonly reports?: readonly string[] | undefined
}

export interface ResumeRequest {
  /** The id of a run, the start of one, or `last`; undefined: the latest of the project that can be resumed. */
  readonly run: string | undefined
}

const maxRepeats = 100

/** Throws `usage` for values that contradict each other or are out of range. */
export function checkRunRequest({ repeat, record, replay, lastFailed, ids = [] }: RunRequest): void {
  if (repeat !== undefined && !(Number.isInteger(repeat) && repeat >= 1 && repeat <= maxRepeats))
    throw new AutotestError('usage', `--repeat ${repeat}: must be a whole number from 1 to ${maxRepeats}`)
  if (record !== undefined && replay !== undefined) throw contradiction('--record', '--replay')
  if (lastFailed === true && ids.length > 0) throw contradiction('--last-failed', '--id')
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
