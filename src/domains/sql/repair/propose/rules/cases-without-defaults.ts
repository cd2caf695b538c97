import { formatOf, type RepairContext } from '../../model/repair-context.js'
import type { Diagnosis, RepairPlan } from '../../model/sql-repair-types.js'

/**
 * Returns the cases that leave nothing to a default, where a definition and a default must both change: they
 * show the right definition, and the default is then found separately.
 */
export function withoutDefaults(
  { edits }: Pick<RepairPlan, 'edits'>,
  diagnoses: readonly Diagnosis[],
  context: Pick<RepairContext, 'format'>,
): readonly Diagnosis[] | undefined {
  const { slotEditOf } = formatOf(context)
  const texts = edits.filter((edit) => slotEditOf(edit) === undefined)
  if (texts.length === edits.length || !texts.some((edit) => 'search' in edit)) return undefined
  const named = diagnoses.filter(({ interpretation }) =>
    interpretation.bindings.every(({ span }) => span !== undefined),
  )
  return named.length === 0 || named.length === diagnoses.length ? undefined : named
}
