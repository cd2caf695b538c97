import type { YamlEdit, YamlValue } from '../../../../../edit/edit.js'
import type { BrokenMetric } from '../../../../../kb/entry.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { readYaml } from '../../../../../snapshot/yaml.js'
import type { PreviousVersion } from '../../model/history.js'
import { interpretationOf, knowledgeBaseOf, type RepairContext, snippetOf } from '../../model/knowledge.js'
import type { Diagnosis } from '../../model/plan.js'
import { applyPlan } from '../../model/plan.js'
import type { RestoreCandidate } from './restore-snippet.js'

/** The entry that keeps all the cases from an answer. */
export function sharedBrokenEntry(diagnoses: readonly Diagnosis[]): BrokenMetric | undefined {
  const [first, ...others] = diagnoses.map(({ interpretation }) =>
    interpretation.kind === 'unbound' ? interpretation.broken : undefined,
  )
  return others.every((other) => other?.id === first?.id) ? first : undefined
}

/** Its own file, whatever file its problem is in. */
export function brokenEntryPath({ metric, problem }: BrokenMetric): string {
  return metric?.path ?? problem.path
}

/** Files whose former texts may say what an entry that cannot be used once was. */
export function restorablePaths(
  { interpretation }: Diagnosis,
  snapshot: Snapshot,
  context: RepairContext,
): readonly string[] {
  const { metric } = interpretation
  const broken = interpretation.kind === 'unbound' ? interpretation.broken : undefined
  const snippet =
    metric === undefined ? undefined : snippetOf(metric, knowledgeBaseOf(snapshot, context))?.path
  return [snippet, broken && brokenEntryPath(broken)].filter((path) => path !== undefined)
}

/**
 * What of the former texts of a metric's file, newest first, makes it one that can be used: the values of the keys that
 * differ, without those that it can be used without, unless the last change took them out.
 *
 * @param states before each change of the file, newest first
 */
export function restorableEntries(
  broken: BrokenMetric,
  states: readonly PreviousVersion[],
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: RepairContext,
): RestoreCandidate[] {
  const path = brokenEntryPath(broken)
  const bytes = snapshot.files.get(path)
  const now = bytes && dataOf(bytes, path)
  if (now === undefined) return []
  const isFixed = (edits: readonly YamlEdit[]): boolean => {
    const after = applyPlan({ edits }, snapshot)
    if (after === undefined) return false
    const kb = knowledgeBaseOf(after, context)
    return diagnoses.every(({ evaluation }) => {
      const meaning = interpretationOf(evaluation.testCase, kb, context)
      return meaning.kind === 'bound' && meaning.metric.id === broken.id
    })
  }
  return states.flatMap(({ text, by }, index): RestoreCandidate[] => {
    const then = dataOf(text, path)
    const all = then === undefined ? [] : diffYamlValues(now, then, { path, entry: broken.id, at: [] })
    if (all.length === 0 || !isFixed(all)) return []
    // What the last change took out together with what broke the file is given back with it, asked for or not.
    const isRemovedTogether = ({ action, expected }: YamlEdit): boolean =>
      index === 0 && action === 'set' && expected === undefined
    const edits = all.reduceRight<readonly YamlEdit[]>((kept, edit) => {
      if (isRemovedTogether(edit)) return kept
      const fewer = kept.filter((other) => other !== edit)
      return fewer.length > 0 && isFixed(fewer) ? fewer : kept
    }, all)
    const undoes = states.slice(0, index + 1).map((state) => state.by)
    return [{ path, title: `${broken.name}: as it was before ${by}`, edits, undoes }]
  })
}

type YamlLocation = Pick<YamlEdit, 'path' | 'entry' | 'at'>

/** What makes one value of the other, key by key; what is added comes first, so that no map is empty in between. */
function diffYamlValues(now: YamlValue, then: YamlValue, place: YamlLocation): YamlEdit[] {
  if (!isMap(now) || !isMap(then)) {
    if (JSON.stringify(now) === JSON.stringify(then)) return []
    return [{ kind: 'edit_metric', ...place, action: 'set', expected: now, value: then }]
  }
  const below = (key: string): YamlLocation => ({ ...place, at: [...place.at, key] })
  const set = Object.entries(then).flatMap(([key, value]): YamlEdit[] => {
    const today = Object.hasOwn(now, key) ? now[key] : undefined
    return today === undefined
      ? [{ kind: 'edit_metric', ...below(key), action: 'set', expected: undefined, value }]
      : diffYamlValues(today, value, below(key))
  })
  const gone = Object.entries(now).filter(([key]) => !Object.hasOwn(then, key))
  return [
    ...set,
    ...gone.map(
      ([key, expected]): YamlEdit => ({ kind: 'edit_metric', ...below(key), action: 'remove', expected }),
    ),
  ]
}

function dataOf(input: string | Uint8Array, path: string): YamlValue | undefined {
  const outcome = readYaml(input, path)
  if (outcome.kind === 'problem') return undefined
  const { data } = outcome.file
  return isMap(data) && isPlain(data) ? data : undefined
}

function isMap(value: unknown): value is { readonly [key: string]: YamlValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isPlain(value: unknown): value is YamlValue {
  if (Array.isArray(value)) return value.every(isPlain)
  if (isMap(value)) return Object.values(value).every(isPlain)
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}
