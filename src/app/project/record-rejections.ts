import { userInfo } from 'node:os'
import { caseHash } from '../../contracts/case-hash.js'
import type { RejectedRepair } from '../../contracts/rejected-repair.js'
import { gitUserName } from '../../git/user-name.js'
import type { AttemptRecord } from '../../store/record-types.js'
import type { RunStore } from '../../store/store.js'
import { addDecisions } from './decisions-file.js'

/** Repairs of one run that a person rejects. */
export interface Rejection {
  readonly root: string
  readonly store: RunStore
  readonly runId: string
  readonly repairs: readonly AttemptRecord[]
  readonly reason: string
  readonly now: () => Date
}

/** Writes rejected repairs to the decisions file of the project, and returns them. */
export async function recordRejections(rejection: Rejection): Promise<readonly RejectedRepair[]> {
  const { root, store, runId, repairs, reason, now } = rejection
  const date = now().toISOString().slice(0, 10)
  const by = (await gitUserName(root)) ?? loginName()
  const expectations = new Map(
    (store.runDetail(runId)?.cases ?? []).map(({ caseId, question, sample }) => [
      caseId,
      caseHash(question, sample.expected),
    ]),
  )
  const bases = new Map<string, string | null>()
  for (const { path, before } of store.editsOf(runId)) if (!bases.has(path)) bases.set(path, decode(before))
  return addDecisions(
    root,
    repairs.map(({ id, title, subject, cases }) => ({
      repair: title,
      entry: subject,
      reason,
      date,
      by,
      run: runId,
      cases: new Map(cases.map((each) => [each, expectations.get(each) ?? ''])),
      files: store.editsOf(runId, id).map(({ path, before, after }) => {
        const base = bases.get(path)
        const texts = { path, before: decode(before), after: decode(after) }
        return base === undefined || base === texts.before ? texts : { ...texts, base }
      }),
    })),
  )
}

function decode(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

function loginName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run as a user without a name.
    return 'unknown'
  }
}
