import type { Config } from '../../config/config.js'
import { AutotestError } from '../../errors.js'
import type { DoctorEnvironment } from './environment.js'

/** `note` is worth knowing and keeps nothing from running; `problem` is what a run would fail with, or do without. */
export type CheckStatus = 'ok' | 'note' | 'problem'

export interface Finding {
  readonly status: CheckStatus
  /** The finding or the problem; several lines where there are several. */
  readonly detail: string
  /** The command that mends it, or what to do. */
  readonly fix?: string | undefined
}

/** The result of one check. */
export interface CheckResult extends Finding {
  readonly name: string
}

/** Looks at one thing of the machine or the project, and changes nothing. */
export interface Check {
  /** Names its line: unique, and short. */
  readonly name: string
  /**
   * Returns the finding; undefined where there is nothing to check, which prints no line. An `AutotestError` that it throws is a
   * problem with its hint as the fix.
   *
   * @param signal aborts once nobody waits for it any longer
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

/** The problem that an error tells of; what is no `AutotestError` is thrown on. */
export function problemFromError(error: unknown): Finding {
  if (error instanceof AutotestError) return problem(error.message, error.hint)
  throw error
}

/** A check of a project's folder, whatever its configuration says; no line outside a project. */
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

/** A check of what the configuration names; no line outside a project. */
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
