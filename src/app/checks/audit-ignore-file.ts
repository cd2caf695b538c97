import { join } from 'node:path'
import { z } from 'zod'
import { type Finding, type FindingKind, findingKinds } from '../../audit/finding.js'
import { AutotestError, messageOf } from '../../errors.js'
import { readRegularFile } from '../../platform/read-regular-file.js'
import { validate } from '../../snapshot/validate-schema.js'
import { parseYaml } from '../../snapshot/yaml.js'

export const auditIgnoreFile = 'autotest.audit-ignore.yaml'

const text = z.string().refine((value) => value.trim() !== '', 'must not be empty')
const schema = z.strictObject({
  ignore: z
    .array(
      z.strictObject({
        subject: text,
        kind: z.enum(findingKinds),
        /** Words of one mutant, as the audit shows them; absent: the whole finding. */
        mutant: text.optional(),
        reason: text,
      }),
    )
    .nullish()
    .transform((list): readonly IgnoredFinding[] => list ?? []),
})

/** A finding that a person has judged to be no fault. */
export interface IgnoredFinding {
  /** Id of a case, or of an entry. */
  readonly subject: string
  readonly kind: FindingKind
  readonly mutant?: string | undefined
  readonly reason: string
}

export interface JudgedFindings {
  /** The findings that are left. */
  readonly findings: readonly Finding[]
  /** Number of findings and mutants that were left out. */
  readonly ignored: number
  /** Entries of the file that match nothing any more. */
  readonly stale: readonly IgnoredFinding[]
}

/**
 * Returns the findings that people decided to ignore; empty without the file. Throws `config_invalid` with
 * `file:line:column` if it cannot be read.
 */
export async function readIgnoredFindings(root: string): Promise<readonly IgnoredFinding[]> {
  let bytes: Buffer
  try {
    bytes = await readRegularFile(join(root, auditIgnoreFile))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw new AutotestError('config_invalid', `${auditIgnoreFile} cannot be read: ${messageOf(error)}`, {
      cause: error,
    })
  }
  const yaml = parseYaml(bytes, auditIgnoreFile, { code: 'config_invalid' })
  return yaml.data === null ? [] : validate(schema, yaml, 'config_invalid').ignore
}

/**
 * Leaves out what people decided to ignore.
 *
 * @param isComplete whether every case was audited: else nothing tells that an entry is out of date
 */
export function leaveOutIgnored(
  findings: readonly Finding[],
  ignored: readonly IgnoredFinding[],
  isComplete: boolean,
): JudgedFindings {
  const used = new Set<IgnoredFinding>()
  let count = 0
  const left = findings.flatMap((finding): Finding[] => {
    const about = ignored.filter(({ subject, kind }) => subject === finding.subject && kind === finding.kind)
    const whole = about.find(({ mutant }) => mutant === undefined)
    if (whole !== undefined) {
      used.add(whole)
      count++
      return []
    }
    const { mutants } = finding
    if (mutants === undefined || about.length === 0) return [finding]
    const kept = mutants.filter(({ words }) => {
      const judged = about.find(({ mutant }) => mutant === words)
      if (judged === undefined) return true
      used.add(judged)
      count++
      return false
    })
    if (kept.length === 0) return []
    const text =
      kept.length === mutants.length
        ? finding.text
        : `${finding.text}, ${mutants.length - kept.length} of them ignored`
    return [{ ...finding, text, mutants: kept }]
  })
  return {
    findings: left,
    ignored: count,
    stale: isComplete ? ignored.filter((each) => !used.has(each)) : [],
  }
}
