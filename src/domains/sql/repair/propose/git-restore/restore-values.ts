import type { Metric, Parameter } from '../../../../../kb/entry.js'
import type { SlotEdit } from '../../../../../kb/entry-slots.js'
import type { Binding } from '../../../../../kb/question-interpretation.js'
import { type Snapshot, withFiles } from '../../../../../snapshot/snapshot.js'
import { defaultChange } from '../../diagnose/metadata-changes/default-changes.js'
import {
  appendToList,
  type MetadataChange,
  renameEnumValue,
} from '../../diagnose/metadata-changes/metadata-change.js'
import { enumChanges } from '../../diagnose/metadata-changes/value-changes.js'
import { isSamePhrase } from '../../model/edited-words.js'
import type { PreviousVersion } from '../../model/knowledge-history.js'
import {
  interpretationOf,
  knowledgeBaseOf,
  type RepairContext,
  renderEdits,
} from '../../model/repair-context.js'
import type { Diagnosis } from '../../model/sql-repair-types.js'
import { applyPlan } from '../../model/sql-repair-types.js'
import type { RestoreCandidate } from './restore-snippet.js'

type Change = Pick<MetadataChange, 'title' | 'edits'>

/**
 * Returns values and defaults that a metric's file once had and that the questions would then bind, newest
 * first; later changes of the file are kept.
 */
export function restorableValues(
  metric: Metric,
  states: readonly PreviousVersion[],
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: RepairContext,
): RestoreCandidate[] {
  return states.flatMap(({ text }, index): RestoreCandidate[] => {
    const former = withFiles(snapshot, new Map([[metric.path, new TextEncoder().encode(text)]]))
    const kb = knowledgeBaseOf(former, context)
    const found = diagnoses.map(({ evaluation, interpretation }) => {
      const meaning = interpretationOf(evaluation.testCase, kb, context)
      if (meaning.kind !== 'bound' || meaning.metric.id !== metric.id) return undefined
      return meaning.bindings.flatMap((binding) => {
        const now = interpretation.bindings.find(({ parameter }) => parameter === binding.parameter)
        return changesFor(binding, now, metric, meaning.metric, snapshot, context)
      })
    })
    if (found.includes(undefined)) return []
    const changes = found.flatMap((each) => each ?? [])
    const slots = distinct(changes.flatMap((change) => change.edits))
    const edits = renderEdits(slots, snapshot, context)
    if (edits.length === 0) return []
    const title = [...new Set(changes.map((change) => change.title))].join('; ')
    const undoes = states.slice(0, index + 1).map((state) => state.by)
    return [{ path: metric.path, title, edits, undoes }]
  })
}

/** Returns the changes that restore a binding in today's metric; none if it has the binding already. */
function changesFor(
  { parameter: name, value, span }: Binding,
  now: Binding | undefined,
  metric: Metric,
  former: Metric,
  snapshot: Snapshot,
  context: RepairContext,
): Change[] {
  const [before, today] = [former.parameters.get(name), metric.parameters.get(name)]
  if (before === undefined || today?.type !== before.type || today.type === 'date_range') return []
  if (span === undefined) return restoreDefault(metric, name, today, before)
  if (value.kind === 'enum' && today.type === 'enum' && before.type === 'enum') {
    const { code } = value
    const words = before.values.get(code) ?? []
    if (today.values.get(code)?.some((word) => isSamePhrase(word, span.text)) === true) return []
    if (today.values.has(code) && isSamePhrase(code, span.text)) return []
    const taken = now?.value.kind === 'enum' ? now.value.code : undefined
    const isRenamed = taken !== undefined && !before.values.has(taken)
    if (isRenamed && !today.values.has(code)) {
      const title = `${metric.name}: "${span.text}" is ${name} ${code}, not ${taken}`
      return [{ title, edits: renameEnumValue(metric, name, today, taken, code) }]
    }
    const gone = isRenamed ? [removal(metric, name, taken, today)] : []
    const possible = enumChanges(metric, name, today, span.text, code, words)
    const fits = possible.find(({ edits }) => canApply([...gone, ...edits], snapshot, context))
    return fits === undefined ? [] : [{ title: fits.title, edits: [...gone, ...fits.edits] }]
  }
  if (value.kind === 'choice' && today.type === 'choice' && before.type === 'choice')
    return restoreChoice(metric, name, value.name, span.text, today, before)
  return []
}

function restoreDefault(
  metric: Metric,
  name: string,
  today: Exclude<Parameter, { type: 'date_range' }>,
  before: Parameter,
): Change[] {
  const value = before.type === 'date_range' ? undefined : before.default
  return value === undefined || value === today.default ? [] : [defaultChange(metric, name, today, value)]
}

function restoreChoice(
  metric: Metric,
  name: string,
  choice: string,
  phrase: string,
  today: Extract<Parameter, { type: 'choice' }>,
  before: Extract<Parameter, { type: 'choice' }>,
): Change[] {
  const place = { parameter: name, value: choice }
  const target = { path: metric.path, entry: metric.id, action: 'set' } as const
  const [had, has] = [before.values.get(choice), today.values.get(choice)]
  if (had === undefined) return []
  if (has === undefined) {
    const slot = { kind: 'value', ...place } as const
    const edit: SlotEdit = { ...target, slot, value: { sql: had.sql, aliases: [...had.aliases] } }
    return [{ title: `${metric.name}: ${name} had no value ${choice}`, edits: [edit] }]
  }
  const word = had.aliases.find((each) => isSamePhrase(each, phrase))
  const isLost = word !== undefined && !has.aliases.some((each) => isSamePhrase(each, phrase))
  return [
    ...(had.sql === has.sql
      ? []
      : [
          {
            title: `${metric.name}: ${name} ${choice} is ${had.sql}, not ${has.sql}`,
            edits: [
              {
                ...target,
                slot: { kind: 'expression', ...place } as const,
                expected: has.sql,
                value: had.sql,
              },
            ],
          },
        ]),
    ...(isLost
      ? [
          {
            title: `${metric.name}: "${word}" did not mean ${name} ${choice}`,
            edits: [appendToList(metric, { kind: 'choice_aliases', ...place }, word, has.aliases)],
          },
        ]
      : []),
  ]
}

/** Removes the code that replaced the former one and has its words. */
function removal(
  metric: Metric,
  name: string,
  code: string,
  { values }: Extract<Parameter, { type: 'enum' }>,
): SlotEdit {
  const slot = { kind: 'value', parameter: name, value: code } as const
  const expected = [...(values.get(code) ?? [])]
  return { path: metric.path, entry: metric.id, action: 'remove', slot, expected }
}

function canApply(edits: readonly SlotEdit[], snapshot: Snapshot, context: RepairContext): boolean {
  return applyPlan({ edits: renderEdits(edits, snapshot, context) }, snapshot) !== undefined
}

function distinct(edits: readonly SlotEdit[]): SlotEdit[] {
  return [...new Map(edits.map((edit) => [JSON.stringify(edit), edit])).values()]
}
