import { entriesNamed } from '../../../../domain/sample.js'
import type { Diagnosis, RepairPlan } from '../model/plan.js'

/** Ids of the entries that a plan edits; those of a file by every id that its path may stand for. */
export function entriesEdited({ edits }: Pick<RepairPlan, 'edits'>): ReadonlySet<string> {
  return new Set(edits.flatMap((edit) => ('entry' in edit ? [edit.entry] : idsOf(edit.path))))
}

/** `kb/snippets/a/b.sql` → `snippet:b.sql`, `snippet:a/b.sql` …, and the same for notes and metrics. */
function idsOf(path: string): string[] {
  const parts = path.split('/')
  const names = parts.map((_, at) => parts.slice(at).join('/'))
  return names.flatMap((name) => ['snippet', 'note', 'metric'].map((kind) => `${kind}:${name}`))
}

/** Entries that a plan for these cases probably edits: those of their metrics, else what all of them read. */
export function entriesConcerned(diagnoses: readonly Diagnosis[]): ReadonlySet<string> {
  const metrics = diagnoses.flatMap(({ interpretation }) => interpretation.metric ?? [])
  if (metrics.length > 0) return new Set(metrics.flatMap(({ id, snippet }) => [id, `snippet:${snippet}`]))
  const read = diagnoses.map(({ evaluation: { sample } }) => entriesNamed(sample))
  return new Set(read[0]?.filter((id) => read.every((ids) => ids.includes(id))))
}
