import type { Row } from '../../../src/cli/doctor/check.js'
import { checks } from '../../../src/cli/doctor/checks.js'
import { runChecks } from '../../../src/cli/doctor/run-checks.js'
import { type LookRequest, type Surroundings, surroundingsOf } from '../../../src/cli/doctor/surroundings.js'

type Given = Partial<Omit<LookRequest, 'cwd'>> & { readonly machine?: Partial<Surroundings> }

/** What the check of this name finds in a folder; undefined where it has no line. */
export async function finding(name: string, cwd: string, given: Given = {}): Promise<Row | undefined> {
  const { machine, ...request } = given
  const check = checks.filter((each) => each.name === name)
  if (check.length !== 1) throw new Error(`${check.length} checks are named ${name}`)
  const surroundings = surroundingsOf({
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
