import type { Config } from '../../config/config.js'
import { AutotestError } from '../../errors.js'
import type { DoctorEnvironment } from './environment.js'

/** `note` is information that prevents no run; `problem` makes a run fail, or work without a feature. */
export type CheckStatus = 'ok' | 'note' | 'problem'

export interface Finding {
  readonly status: CheckStatus
  /** The finding or the problem; several lines where there are several. */
  readonly detail: string
  /** The command that fixes it, or what to do. */
  readonly fix?: string | undefined
}

/** The result of one check. */
export interface CheckResult extends Finding {
  readonly name: string
}

/** Inspects one property of the machine or the project, and changes nothing. */
export interface Check {
  /** The label of its line: unique and short. */
  readonly name: string
  /**
   * Returns the finding; undefined if there is nothing to check, which prints no line. An `AutotestError`
   * that it throws is a problem with its hint as the fix.
   *
   * @param signal aborts once the result is no longer needed
   */
  run(surroundings: DoctorEnvironment, signal: AbortSignal): Promise<Finding | undefined>
}

export function ok(detail: string): Finding {
  return { status: 'ok', detail }
}

export function note(detail: string, fix?: string): Finding {
  return { status: 'note', detail, fix }
}

export function problem(detail: string, fix?: string): Finding {
  return { status: 'problem', detail, fix }
}

/** Returns the problem described by an error; an error other than `AutotestError` is rethrown. */
export function problemFromError(error: unknown): Finding {
  if (error instanceof AutotestError) return problem(error.message, error.hint)
  throw error
}

/** Creates a check of a project's folder, independent of its configuration; no line outside a project. */
export function projectCheck(
  name: string,
  look: (root: string, surroundings: DoctorEnvironment, signal: AbortSignal) => Promise<Finding | undefined>,
): Check {
  return {
    name,
    async run(surroundings, signal) {
      const { kind, root } = await surroundings.projectLocation()
      return kind === 'none' ? undefined : look(root, surroundings, signal)
    },
  }
}

/** Creates a check of what the configuration names; no line outside a project. */
export function configurationCheck(
  name: string,
  look: (
    config: Config,
    surroundings: DoctorEnvironment,
    signal: AbortSignal,
  ) => Promise<Finding | undefined>,
): Check {
  return {
    name,
    async run(surroundings, signal) {
      const place = await surroundings.projectLocation()
      switch (place.kind) {
        case 'none':
          return undefined
        case 'invalid':
          return note('not checked: the configuration cannot be read')
        case 'project':
          return look(place.config, surroundings, signal)
      }
    },
  }
}
