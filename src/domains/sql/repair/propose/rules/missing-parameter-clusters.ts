import type { KnowledgeBase } from '../../../../../kb/entry.js'
import { restoreClusterOf } from '../../model/git-restore-cluster-key.js'
import { lineReaderOf, removedLinesOf } from '../../model/removed-lines.js'
import type { RepairContext } from '../../model/repair-context.js'
import type { Diagnosis } from '../../model/sql-repair-types.js'
import { findMissingParameter, hasDistinctValues, type MissingParameter } from './missing-parameter.js'

const keyPrefix = 'parameter:'

/**
 * Assigns diagnoses of questions that name a parameter which their metric lost to one cluster if they name
 * several values; if the snippet has one of its values hard-coded, that is the cause in any case.
 */
export function assignMissingParameterClusters(
  diagnoses: readonly Diagnosis[],
  kb: KnowledgeBase,
  context: RepairContext,
  givenUp: ReadonlySet<string>,
): Diagnosis[] {
  const found = new Map<Diagnosis, MissingParameter>()
  for (const diagnosis of diagnoses) {
    if (diagnosis.cluster !== undefined || diagnosis.label !== 'missing_definition') continue
    const lost = findMissingParameter(diagnosis, kb, context)
    if (lost !== undefined) found.set(diagnosis, lost)
  }
  return diagnoses.map((diagnosis) => {
    const lost = found.get(diagnosis)
    if (lost === undefined) return diagnosis
    if (isRestorableFromGit(lost, context, givenUp)) return { ...diagnosis, ...withCause(lost, diagnosis) }
    const key = keyOf(lost)
    const cluster = hasDistinctValues([...found.values()].filter((other) => keyOf(other) === key))
      ? key
      : undefined
    return { ...diagnosis, ...withCause(lost, diagnosis), cluster }
  })
}

export function isMissingParameterCluster({ cluster }: Diagnosis): boolean {
  return cluster?.startsWith(keyPrefix) === true
}

/**
 * Reports whether git has a former version of the metric's file, which is tried first: that is how its author
 * wrote it.
 */
function isRestorableFromGit(
  { metric, name }: MissingParameter,
  context: RepairContext,
  givenUp: ReadonlySet<string>,
): boolean {
  const { declares } = lineReaderOf(context)
  const isTried = [...givenUp].some((key) => key.startsWith(restoreClusterOf(metric.id)))
  return !isTried && removedLinesOf(metric.path, context).some(({ text }) => declares(name, text))
}

function keyOf({ metric, name }: MissingParameter): string {
  return `${keyPrefix}${metric.id}:${name}`
}

function withCause(
  { metric, name, hardCodedValue }: MissingParameter,
  { interpretation }: Diagnosis,
): { readonly cause?: string } {
  if (hardCodedValue === undefined) return {}
  const said = interpretation.kind === 'unbound' ? interpretation.message : ''
  const cause = `${said}; metric ${metric.name} has no parameter ${name}, and its snippet ${metric.snippet} has ${hardCodedValue} hard-coded: declare ${name} in ${metric.path} as other metrics do, and write {{ ${name} }} there`
  return { cause }
}
