import type { KnowledgeAdapter } from '../knowledge-adapter.js'
import { checkPlace, entriesEditedBy } from './allowed-edit-locations.js'
import { nativeCreation } from './create-entries.js'
import { nativeFormerTexts } from './former-texts.js'
import { locateSlots } from './located-slots.js'
import { declarationOf } from './metric-declaration.js'
import { nativeModelEdits } from './model-edits.js'
import { readNative } from './read.js'
import { repairMark } from './repair-mark.js'
import { renderSlotEdits, slotEditOf, splitReplacement, withValue } from './slot-edits.js'

/** Metrics are YAML files, queries SQL files, notes Markdown files, each kind in its own folder. */
export const nativeFormat: KnowledgeAdapter = {
  name: 'native',
  places: 'read are metrics/*.yaml, snippets/*.sql and notes/*.md',
  read: readNative,
  slotsOf: locateSlots,
  declarationOf,
  render: renderSlotEdits,
  slotEditOf,
  withValue,
  splitReplacement,
  checkPlace,
  repairMark,
  entriesEditedBy,
  modelEdits: nativeModelEdits,
  creation: nativeCreation,
  former: nativeFormerTexts,
}
