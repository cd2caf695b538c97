import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { FileChange } from '../../edit/apply-edits.js'
import { AutotestError } from '../../errors.js'
import { makeFolder } from '../../platform/make-folder.js'
import { readRegularFile } from '../../platform/read-regular-file.js'
import type { AcceptedRepair } from '../../repair/model/repair-input.js'

const bytes = z.base64().nullable()
const planFile = z.strictObject({
  autotest: z.literal('plan'),
  run: z.string(),
  /** Hash of the knowledge the plan was verified on. */
  knowledge: z.string(),
  repairs: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      grade: z.string(),
      diff: z.array(z.string()),
      changes: z.array(z.strictObject({ path: z.string(), before: bytes, after: bytes })),
    }),
  ),
  /** Over run, knowledge and repairs: a plan edited by hand was not verified. */
  sha256: z.string(),
})

/** Verified repairs of a dry run, with the bytes that writing them needs. */
export interface SavedPlan {
  readonly run: string
  readonly knowledge: string
  readonly repairs: readonly {
    readonly id: string
    readonly title: string
    readonly changes: readonly FileChange[]
  }[]
}

export async function savePlan(
  path: string,
  run: string,
  knowledge: string,
  accepted: readonly AcceptedRepair[],
): Promise<void> {
  const encode = (data: Uint8Array | null): string | null =>
    data === null ? null : Buffer.from(data).toString('base64')
  const content = {
    run,
    knowledge,
    repairs: accepted.map(({ attempt, changes }) => ({
      id: attempt.id,
      title: attempt.title,
      grade: attempt.grade ?? 'E1',
      diff: attempt.edits.map((edit) => edit.diff),
      changes: changes.map((change) => ({
        path: change.path,
        before: encode(change.before),
        after: encode(change.after),
      })),
    })),
  }
  const plan: z.input<typeof planFile> = { autotest: 'plan', ...content, sha256: planDigest(content) }
  makeFolder(dirname(path))
  await writeFile(path, `${JSON.stringify(plan, null, 2)}\n`)
}

/** Reads a plan; throws `usage` for a file that is not one, or was edited. */
export async function loadPlan(path: string): Promise<SavedPlan> {
  let text: string
  try {
    text = (await readRegularFile(path)).toString('utf8')
  } catch (error) {
    throw new AutotestError('usage', `${path}: cannot read a plan`, {
      hint: 'Create one with a dry run: autotest --dry-run',
      cause: error,
    })
  }
  const parsed = planFile.safeParse(jsonOf(text, path))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new AutotestError(
      'usage',
      `${path} is not a dry-run plan: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
      {
        hint: 'Run autotest --dry-run again.',
      },
    )
  }
  const decode = (data: string | null): Uint8Array | null =>
    data === null ? null : Buffer.from(data, 'base64')
  const { run, knowledge, repairs, sha256 } = parsed.data
  if (sha256 !== planDigest({ run, knowledge, repairs })) {
    throw new AutotestError('usage', `${path} was changed since its repairs were verified`, {
      hint: 'Run autotest --dry-run again. To keep only some repairs, apply the plan and revert the others with autotest revert RUN --repair ID.',
    })
  }
  return {
    run,
    knowledge,
    repairs: repairs.map(({ id, title, changes }) => ({
      id,
      title,
      changes: changes.map((change) => ({
        path: change.path,
        before: decode(change.before),
        after: decode(change.after),
      })),
    })),
  }
}

/** Returns the SHA-256 in hex of what a plan would write, in the order of its keys. */
export function planDigest(content: Omit<z.input<typeof planFile>, 'autotest' | 'sha256'>): string {
  const { run, knowledge, repairs } = content
  const plain = repairs.map(({ id, title, grade, diff, changes }) => [
    id,
    title,
    grade,
    diff,
    changes.map(({ path, before, after }) => [path, before, after]),
  ])
  return createHash('sha256')
    .update(JSON.stringify([run, knowledge, plain]))
    .digest('hex')
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AutotestError('usage', `${path} is not JSON`, {
      hint: 'Run autotest --dry-run again.',
      cause: error,
    })
  }
}
