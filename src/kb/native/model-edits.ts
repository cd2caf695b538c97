import { z } from 'zod'
import type { Edit, YamlValue } from '../../edit/edit-types.js'
import type { KnowledgeBase } from '../entry.js'
import type { ModelEdits } from '../knowledge-adapter.js'

/** No knowledge file that a model writes is longer. */
const text = z.string().max(256 * 1024)
/** Titles, aliases and expressions of metrics are a few hundred characters long. */
const maxValueLength = 5000
const plain = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])

const editSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['edit_snippet', 'edit_note']), path: text, search: text, replace: text }),
  z.strictObject({
    kind: z.literal('edit_metric'),
    path: text,
    action: z.enum(['set', 'append', 'remove']),
    at: z
      .array(z.union([z.string(), z.int()]))
      .min(1)
      .max(20),
    expected: plain,
    value: plain,
  }),
  z.strictObject({ kind: z.enum(['create_snippet', 'create_metric']), path: text, text }),
])

/** In this format a model writes the file edits themselves. */
export const nativeModelEdits: ModelEdits = {
  schema: z
    .array(editSchema)
    .max(20)
    .refine(
      (edits) => edits.every(isShort),
      `a value of a metric is longer than ${maxValueLength} characters`,
    ),
  toEdit: (proposed, kb) => editFrom(editSchema.parse(proposed), kb),
}

/**
 * Converts a proposal to the edit that is applied. A null that means nothing is dropped; a metric is
 * identified by its file.
 */
function editFrom(each: z.output<typeof editSchema>, kb: KnowledgeBase): Edit {
  if (each.kind !== 'edit_metric') return each
  const { kind, path, action, at, expected, value } = each
  const entry = [...kb.metrics, ...kb.broken.flatMap(({ metric }) => metric ?? [])].find(
    (metric) => metric.path === path,
  )
  return {
    kind,
    path,
    entry: entry?.id ?? 'metric:unknown',
    action,
    at,
    expected: nullToUndefined(expected),
    value: action === 'remove' ? undefined : nullToUndefined(value),
  }
}

function isShort(each: z.output<typeof editSchema>): boolean {
  return (
    each.kind !== 'edit_metric' || [each.value].flat().every((part) => String(part).length <= maxValueLength)
  )
}

function nullToUndefined(value: YamlValue): YamlValue | undefined {
  return value === null ? undefined : value
}
