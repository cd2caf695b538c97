import { stripVTControlCharacters } from 'node:util'
import { describeMismatch } from '../compare/verdict/verdict-reason.js'
import type { ChangeReference } from '../store/question-types.js'
import type {
  AttemptRecord,
  CaseOutcome,
  CaseRecord,
  Evidence,
  Grade,
  LlmUsage,
  RunDetail,
  SampleRecord,
} from '../store/record-types.js'
import { quoteShellArgument } from '../text/shell-argument.js'
import { tellingFirst } from '../text/telling-first.js'
import { unprintable } from '../text/unprintable.js'

/**
 * Returns text of users and databases on one line: no escape sequences, no control characters, single spaces.
 */
export function oneLine(text: string): string {
  return stripVTControlCharacters(text).replace(unprintable, ' ').replace(/ {2,}/g, ' ').trim()
}

/** Returns one line of a file, keeping its indentation. */
export function sanitizeLine(line: string): string {
  return stripVTControlCharacters(line).replaceAll('\t', '  ').replace(unprintable, ' ').trimEnd()
}

/** Returns `3 cases`, `1 case`. */
export function plural(count: number, noun: string): string {
  const word = count === 1 ? noun : noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`
  return `${count} ${word}`
}

/**
 * Returns `12 LLM calls (10 sql, 2 repairer)`, `34100 tokens`, `cost 0.0213`: the usage of models, as far as
 * they were asked.
 */
export function formatLlmUsage({ llm = [] }: Pick<RunDetail, 'llm'>): string[] {
  const sum = (pick: (usage: LlmUsage) => number): number => llm.reduce((all, usage) => all + pick(usage), 0)
  const calls = plural(
    sum((usage) => usage.calls),
    'LLM call',
  )
  if (llm.length === 0) return [calls]
  const byRole = new Map<string, number>()
  for (const usage of llm) byRole.set(usage.role, (byRole.get(usage.role) ?? 0) + usage.calls)
  const roles = [...byRole].map(([role, count]) => `${count} ${role}`).join(', ')
  const tokens = sum((usage) => usage.inputTokens + usage.outputTokens)
  const cost = sum((usage) => usage.cost)
  const cached = sum((usage) => usage.cachedTokens ?? 0)
  const counted = `${plural(tokens, 'token')}${cached === 0 ? '' : ` (${cached} of the prompts cached)`}`
  return [`${calls} (${roles})`, counted, ...(cost === 0 ? [] : [`cost ${formatCost(cost)}`])]
}

/**
 * Returns `412 queries, 38.1 s, 1.2 GB read` of each server that was asked, with its kind before it where there are several.
 * Local files are not told of: asking them costs nothing.
 */
export function formatEngineUse({ engines = [] }: Pick<RunDetail, 'engines'>): string[] {
  const servers = engines.filter(({ url }) => !/^(?:duckdb|sqlite):/u.test(url))
  return servers.map(({ url, queries, ms, scannedBytes }) => {
    const read = scannedBytes === undefined ? '' : `, ${formatBytes(scannedBytes)} read`
    const asked = `${plural(queries, 'query')}, ${formatDuration(ms)}${read}`
    return servers.length === 1 ? asked : `${url.split(':')[0]} ${asked}`
  })
}

/** Returns `1.2 GB`. */
function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const unit = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** unit).toFixed(unit === 0 ? 0 : 1)} ${units[unit]}`
}

/** Returns an amount of money without a currency: the price table has none. */
export function formatCost(cost: number): string {
  return cost.toFixed(4)
}

/** Returns `0.4 s`, `2 min 5 s`. */
export function formatDuration(ms: number): string {
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Returns the first seven digits of a snapshot's hash, as shown to people. */
export function shortSnapshotHash(hash: string): string {
  return hash.slice(0, 7)
}

/** Returns `wrong definition` for `wrong_definition`. */
export function formatLabel(label: string): string {
  return label.replaceAll('_', ' ')
}

/**
 * Reports whether the accepted plans of a run are still plans: those of a dry run, until they are applied.
 */
export function isPlan({ mode, decision }: Pick<RunDetail['run'], 'mode' | 'decision'>): boolean {
  return mode === 'dry_run' && decision !== 'kept' && decision !== 'reverted'
}

/** Returns an outcome in the words of a line about one case. */
export function formatOutcome(outcome: CaseOutcome): string {
  return outcome === 'errored' ? 'error' : outcome
}

/** Returns the grade of evidence, based on this number of real cases. */
export function formatGrade(grade: Grade | undefined, cases: number): string {
  switch (grade) {
    case 'E0':
      return 'E0 target only'
    case 'E1':
      return cases === 1 ? 'E1 one example' : 'E1'
    case 'E2':
      return 'E2'
    case undefined:
      return 'no grade'
  }
}

/** Options of a run that decide what a case is asked and how it is scored. */
const replayedOptions = [
  'config',
  'benchmark',
  'kb',
  'engine',
  'agent',
  'replay',
  'policy',
  'fuzz',
  'seed',
  'repeat',
]

/**
 * Returns the command that asks one case again and repairs nothing.
 *
 * @param options those of the run, by the names of their flags
 */
export function replayCommand(caseId: string, options: Readonly<Record<string, unknown>> = {}): string {
  const id = oneLine(caseId)
  const flags = replayedOptions.flatMap((name) =>
    [options[name] ?? []].flat().map((value) => flagWord(name, oneLine(String(value)))),
  )
  return ['autotest', flagWord('id', id), ...flags, '--no-repair'].join(' ')
}

function flagWord(name: string, value: string): string {
  return value.startsWith('-')
    ? quoteShellArgument(`--${name}=${value}`)
    : `--${name} ${quoteShellArgument(value)}`
}

/** Describes the results in words; undefined if they are no evidence. */
export function describeResults(results: SampleRecord['results']): string | undefined {
  switch (results?.kind) {
    case undefined:
      return undefined
    case 'match':
      return results.empty ? 'match (both empty)' : 'match'
    case 'mismatch': {
      const words = describeMismatch(results.comparison)
      return results.copy === undefined
        ? words
        : `match on the database, but not on fuzzed copy ${results.copy.index} (${results.copy.title}): ${words}`
    }
    case 'cut':
      return results.message
    case 'generated_failed':
      if (results.copy !== undefined)
        return `match on the database, but on fuzzed copy ${results.copy.index} (${results.copy.title}) the agent's query failed: ${results.message}`
      return `the agent's query ${results.how === 'failed' ? 'failed' : `was ${results.how}`}: ${results.message}`
    case 'expected_failed':
      return `expected_sql ${results.how === 'failed' ? 'fails' : `was ${results.how}`}: ${results.message}`
    case 'skipped':
      return `not run: ${results.reason}`
  }
}

/** Describes the differences of the two queries. */
export function describeStructure(structure: SampleRecord['structure']): string[] {
  switch (structure?.kind) {
    case undefined:
    case 'equal':
      return []
    case 'unparsable':
      return [`the ${structure.side} query cannot be parsed: ${structure.message}`]
    case 'equal_if':
    case 'different':
      return tellingFirst(structure.differences).map((difference) => difference.text)
  }
}

/** Returns `commit 1a2b3c4 (2025-11-20) "MRR: past_due no longer counts"`. */
export function describeChange({ by, date, subject }: ChangeReference): string {
  const when = date === undefined ? '' : ` (${date})`
  return `${by}${when}${subject === undefined ? '' : ` "${oneLine(subject)}"`}`
}

/** Describes everything that is wrong with an answer; empty for one that passes by its structure. */
export function describeDifferences(sample: SampleRecord): string[] {
  const results = sample.results?.kind === 'match' ? undefined : describeResults(sample.results)
  const others = (sample.differences ?? []).filter((text) => text !== sample.reason)
  return [...describeStructure(sample.structure), ...(results === undefined ? [] : [results]), ...others]
}

/** Describes in one line why a case did not pass, beginning with its triage label. */
export function describeCause(record: CaseRecord): string {
  const text = oneLine(record.cause ?? record.sample.reason) || oneLine(record.sample.message ?? '')
  const lead = record.label === undefined ? formatOutcome(record.outcome) : formatLabel(record.label)
  if (text === '') return lead
  return text.toLowerCase().startsWith(lead) ? text : `${lead}: ${text}`
}

/** Returns `metric dau, snippet dau.sql`. */
export function describeEntriesRead(read: SampleRecord['read']): string {
  if (read === 'all') return 'not reported by the agent'
  return read.length === 0 ? 'nothing' : read.map((entry) => entry.replace(':', ' ')).join(', ')
}

/** Returns `proved by 3 cases, 6 twins, 21 cases using it; nothing else changed`. */
export function describeEvidence(evidence: Evidence, grade: Grade | undefined): string {
  const checks = [
    evidence.target.passed > 0 && plural(evidence.target.passed, 'case'),
    evidence.twins.passed > 0 && plural(evidence.twins.passed, 'twin'),
    evidence.heldOut.passed > 0 && describeHeldOut(evidence, grade),
    evidence.affected.passed > 0 && `${plural(evidence.affected.passed, 'case')} using it`,
  ].filter((check) => check !== false)
  const broken =
    evidence.broken.length === 0
      ? 'nothing else changed'
      : `breaks ${evidence.broken.map(oneLine).join(', ')}`
  return checks.length === 0 ? broken : `proved by ${checks.join(', ')}; ${broken}`
}

/**
 * Returns `2 held out`, or `1 of 3 held out (not E2)` where that is not what the grade rests on: a plan made
 * without the case would have been another one, or another entry of the plan had no case to hold out.
 */
function describeHeldOut({ heldOut }: Evidence, grade: Grade | undefined): string {
  if (grade === 'E2') return `${heldOut.passed} held out`
  return `${heldOut.passed} of ${heldOut.of} held out (not E2)`
}

/** Returns the texts of the knowledge base that contradict an edit, for review. */
export function describeWarnings({ warnings = [] }: Evidence): string[] {
  return warnings.map((text) => oneLine(text))
}

/** Returns each check of a plan as passed of made; checks that were not made are left out. */
export function evidenceRatios(evidence: Evidence, grade: Grade | undefined): string[] {
  const { target, twins, heldOut, affected, benchmark, broken } = evidence
  const ratio = (name: string, check: { passed: number; of: number }): string[] =>
    check.of === 0 ? [] : [`${name} ${check.passed}/${check.of}`]
  return [
    ...ratio('target', target),
    ...ratio('twins', twins),
    // That is no failure, only weaker evidence.
    ...ratio('held-out', heldOut).map((part) => (grade === 'E2' ? part : `${part} (not E2)`)),
    ...(affected.of === affected.passed
      ? affected.of === 0
        ? []
        : [`${plural(affected.of, 'case')} using it unchanged`]
      : ratio('cases using it', affected)),
    ...(benchmark.of === 0
      ? []
      : [`whole benchmark ${benchmark.before}/${benchmark.of} → ${benchmark.after}/${benchmark.of}`]),
    ...(broken.length === 0 ? [] : [`breaks ${broken.map(oneLine).join(', ')}`]),
  ]
}

/** Returns `1 retry` for the second plan that was tried for a cause; nothing for the first. */
export function describeRetries({ retries }: Pick<AttemptRecord, 'retries'>): string[] {
  return retries <= 1 ? [] : [plural(retries - 1, 'retry')]
}

/** Returns `3 cases · E2 · 1 retry · 0.4 s`. */
export function describeAttempt(attempt: AttemptRecord): string {
  return [
    plural(attempt.cases.length, 'case'),
    formatGrade(attempt.grade, attempt.cases.length),
    ...describeRetries(attempt),
    formatDuration(attempt.ms),
  ].join(' · ')
}

/** Reports whether a plan was rejected; one that is held is listed with the decision that it waits for. */
export function isRejected({ outcome, reason }: Pick<AttemptRecord, 'outcome' | 'reason'>): boolean {
  return outcome === 'rejected' && reason?.startsWith('held: ') !== true
}
