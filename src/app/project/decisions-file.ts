import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Document, isSeq, parseDocument } from 'yaml'
import { z } from 'zod'
import type { RejectedRepair } from '../../contracts/rejected-repair.js'
import { AutotestError, messageOf } from '../../errors.js'
import { readRegularFile } from '../../platform/read-regular-file.js'
import { replaceFile } from '../../platform/replace-file.js'
import { validate } from '../../snapshot/validate-schema.js'
import { parseYaml } from '../../snapshot/yaml.js'

export const decisionsFile = 'autotest.decisions.yaml'

const header = ` Repairs that people rejected. autotest does not propose one again while its files and cases are what they were.
 Commit this file, so that the next run knows, wherever it runs.
 autotest decisions shows it; autotest decisions forget ID takes one back.`

const text = z.string().refine((value) => value.trim() !== '', 'must not be empty')
const fileText = z.union([z.string(), z.null()], 'must be a text, or null for no file')
const schema = z.strictObject({
  rejected: z
    .array(
      z.strictObject({
        id: z.string().regex(/^[0-9a-f]{6}$/u, 'must be six hexadecimal digits'),
        repair: text,
        entry: text,
        reason: text,
        date: z.string().regex(/^\d{4}-\d{2}-\d{2}$/u, 'must be a date: YYYY-MM-DD'),
        by: text,
        run: text,
        cases: z.record(z.string(), z.string()).transform((cases) => new Map(Object.entries(cases))),
        files: z
          .array(z.strictObject({ path: text, before: fileText, after: fileText, base: fileText.optional() }))
          .min(1, 'must name a file'),
      }),
    )
    .nullish()
    .transform((list): readonly RejectedRepair[] => list ?? []),
})

/**
 * Returns the repairs that people rejected, oldest first; empty without the file. Throws `config_invalid` with
 * `file:line:column` if it cannot be read.
 */
export async function readDecisions(root: string): Promise<readonly RejectedRepair[]> {
  const bytes = await contentOf(root)
  if (bytes === undefined) return []
  const yaml = parseYaml(bytes, decisionsFile, { code: 'config_invalid' })
  return yaml.data === null ? [] : validate(schema, yaml, 'config_invalid').rejected
}

/** Appends rejected repairs, and returns them with their ids; comments and order of the file stay. */
export async function addDecisions(
  root: string,
  decisions: readonly Omit<RejectedRepair, 'id'>[],
): Promise<readonly RejectedRepair[]> {
  const present = await readDecisions(root)
  const known = new Set(present.map(({ id }) => id))
  // Rejected and then reverted: one decision.
  const isNew = (decision: Omit<RejectedRepair, 'id'>): boolean =>
    !present.some(
      ({ files, cases }) =>
        isDeepStrictEqual(files, decision.files) && isDeepStrictEqual(cases, decision.cases),
    )
  const added = decisions.filter(isNew).map((decision) => ({ ...decision, id: newId(known) }))
  if (added.length === 0) return []
  const document = await documentOf(root)
  if (!isSeq(document.get('rejected'))) document.set('rejected', document.createNode([]))
  for (const { id, cases, ...rest } of added)
    document.addIn(['rejected'], document.createNode({ id, ...rest, cases: Object.fromEntries(cases) }))
  await save(root, document)
  return added
}

/** Removes one decision, and returns it; undefined if there is none with the id. */
export async function removeDecision(root: string, id: string): Promise<RejectedRepair | undefined> {
  const decisions = await readDecisions(root)
  const at = decisions.findIndex((decision) => decision.id === id)
  if (at === -1) return undefined
  const document = await documentOf(root)
  document.deleteIn(['rejected', at])
  await save(root, document)
  return decisions[at]
}

function newId(known: Set<string>): string {
  for (;;) {
    const id = randomBytes(3).toString('hex')
    if (known.has(id)) continue
    known.add(id)
    return id
  }
}

async function documentOf(root: string): Promise<Document> {
  const bytes = await contentOf(root)
  if (bytes !== undefined && bytes.toString().trim() !== '') return parseDocument(bytes.toString())
  const document = new Document({ rejected: [] })
  document.commentBefore = header
  return document
}

async function contentOf(root: string): Promise<Buffer | undefined> {
  try {
    return await readRegularFile(join(root, decisionsFile))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new AutotestError('config_invalid', `${decisionsFile} cannot be read: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

async function save(root: string, document: Document): Promise<void> {
  const path = join(root, decisionsFile)
  try {
    await replaceFile(path, document.toString({ lineWidth: 0 }))
  } catch (error) {
    throw new AutotestError('usage', `${decisionsFile} cannot be written: ${messageOf(error)}`, {
      cause: error,
    })
  }
}
