import { checks } from '../../../src/app/doctor/all-checks.js'
import type { CheckResult } from '../../../src/app/doctor/check.js'
import {
  type DoctorEnvironment,
  type EnvironmentOptions,
  inspectEnvironment,
} from '../../../src/app/doctor/environment.js'
import { runChecks } from '../../../src/app/doctor/run-checks.js'

type Given = Partial<Omit<EnvironmentOptions, 'cwd'>> & { readonly machine?: Partial<DoctorEnvironment> }

/** What the check of this name finds in a folder; undefined where it has no line. */
export async function finding(
  name: string,
  cwd: string,
  given: Given = {},
): Promise<CheckResult | undefined> {
  const { machine, ...request } = given
  const check = checks.filter((each) => each.name === name)
  if (check.length !== 1) throw new Error(`${check.length} checks are named ${name}`)
  const surroundings = inspectEnvironment({
    cwd,
    env: process.env,
    file: undefined,
    db: undefined,
    call: false,
    overrides: {},
    ...request,
  })
  const options = { deadlineMs: 10_000, signal: new AbortController().signal }
  for await (const row of runChecks(check, { ...surroundings, ...machine }, options)) return row
  return undefined
}
