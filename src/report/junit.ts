import type { CaseRecord, RunDetail } from '../store/record-types.js'
import { escapeXml } from '../text/escape.js'
import { causesOf } from './causes.js'
import {
  describeCause,
  describeDifferences,
  formatEngineUse,
  formatLlmUsage,
  oneLine,
} from './format-text.js'
import {
  formatAnswerCounts,
  formatBenchmarkRepeats,
  formatPassAt,
  repeatStatisticsOf,
} from './repeat-statistics.js'
import { rowLines } from './row-differences.js'
import { casesByGroup, countNotAsked, judgedEquivalent } from './summary.js'

/**
 * Renders JUnit XML: a suite for each first tag (or file). Failed, unproven and pending cases are failures,
 * errors have their actual message, and a run that ended early is a separate error, so that it never appears
 * as passed.
 */
export function junitReport(detail: RunDetail): string {
  const causes = new Map(
    causesOf(detail.cases).flatMap(({ id, subject, cases }) =>
      cases.map((record) => [record, `${id}: ${subject}`] as const),
    ),
  )
  const suites = [...casesByGroup(detail.cases)].map(([name, cases]) =>
    suiteElement(
      name,
      cases.map((record) => caseElement(record, causes.get(record))),
      detail,
    ),
  )
  const missing = missingElement(detail)
  if (missing !== undefined) suites.push(suiteElement('autotest', [missing], detail))
  const counts = countsOf(suites.flatMap((suite) => suite.children))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'autotest', ...counts })}>`,
    ...suites.flatMap((suite) => [
      `  <testsuite${attributes({ name: suite.name, ...countsOf(suite.children), timestamp: detail.run.startedAt })}>`,
      ...suite.properties,
      ...suite.children.map((child) => child.xml),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n')
}

interface CaseElement {
  readonly kind: 'passed' | 'failure' | 'error' | 'skipped'
  readonly seconds: number
  readonly xml: string
}

interface SuiteElement {
  readonly name: string
  readonly properties: readonly string[]
  readonly children: readonly CaseElement[]
}

function suiteElement(name: string, children: readonly CaseElement[], detail: RunDetail): SuiteElement {
  const { run } = detail
  const repeats = formatBenchmarkRepeats(detail)
  const facts = {
    run: run.id,
    engine: run.engine,
    agent: run.agent,
    knowledge: run.knowledge,
    mode: run.mode,
    llm: formatLlmUsage(detail).join(', '),
    ...(formatEngineUse(detail).length === 0 ? {} : { engines: formatEngineUse(detail).join('; ') }),
    ...(repeats.length === 0 ? {} : { repeat: repeats.join(', ') }),
  }
  return { name, children, properties: propertiesElement('    ', facts) }
}

function propertiesElement(indent: string, facts: Readonly<Record<string, string>>): string[] {
  return [
    `${indent}<properties>`,
    ...Object.entries(facts).map(([name, value]) => `${indent}  <property${attributes({ name, value })}/>`),
    `${indent}</properties>`,
  ]
}

function countsOf(children: readonly CaseElement[]): Record<string, string | number> {
  const count = (kind: CaseElement['kind']): number => children.filter((child) => child.kind === kind).length
  return {
    tests: children.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
    time: children.reduce((sum, child) => sum + child.seconds, 0).toFixed(3),
  }
}

function caseElement(record: CaseRecord, cause: string | undefined): CaseElement {
  const seconds = record.ms / 1000
  const { kind, problem } = outcomeElement(record)
  const properties = propertiesOf(record, cause)
  const lines = [
    ...(Object.keys(properties).length === 0 ? [] : propertiesElement('      ', properties)),
    ...problem,
  ]
  const start = `    <testcase${attributes({
    name: record.caseId,
    classname: record.tags[0] ?? record.file,
    file: record.file,
    line: record.line,
    time: seconds.toFixed(3),
  })}`
  return {
    kind,
    seconds,
    xml: lines.length === 0 ? `${start}/>` : [`${start}>`, ...lines, '    </testcase>'].join('\n'),
  }
}

function propertiesOf(record: CaseRecord, cause: string | undefined): Record<string, string> {
  const repeats = repeatStatisticsOf(record)
  const judged = judgedEquivalent(record)
  return {
    ...(judged === undefined ? {} : { judge: judged }),
    ...(cause === undefined ? {} : { cause }),
    ...(record.sample.ownExample === undefined ? {} : { ownExample: record.sample.ownExample }),
    ...(record.outcome === 'repaired' ? { repair: record.repairId ?? '' } : {}),
    ...(repeats === undefined
      ? {}
      : { answers: [formatAnswerCounts(repeats), ...formatPassAt(repeats)].join(', ') }),
  }
}

function outcomeElement(record: CaseRecord): { kind: CaseElement['kind']; problem: string[] } {
  switch (record.outcome) {
    case 'passed':
    case 'repaired':
      return { kind: 'passed', problem: [] }
    case 'skipped':
      return {
        kind: 'skipped',
        problem: [`      <skipped${attributes({ message: record.sample.reason })}/>`],
      }
    case 'errored':
      return { kind: 'error', problem: [problemElement('error', record)] }
    case 'failed':
    case 'unproven':
    case 'pending':
      return { kind: 'failure', problem: [problemElement('failure', record)] }
  }
}

function problemElement(name: 'failure' | 'error', record: CaseRecord): string {
  const { sample } = record
  const body = [
    record.question,
    ...describeDifferences(sample),
    ...rowsOf(record),
    ...queriesOf(record),
    ...(sample.message === undefined ? [] : [sample.message]),
    `${record.file}:${record.line}`,
  ]
  const message =
    record.outcome === 'pending' ? `a repair is pending: ${describeCause(record)}` : describeCause(record)
  const type = record.label ?? record.outcome
  return `      <${name}${attributes({ message, type })}>${escapeXml(body.join('\n'))}</${name}>`
}

const tableLimits = { width: 100, rows: 5 }

function rowsOf({ sample: { results } }: CaseRecord): string[] {
  if (results?.kind !== 'mismatch') return []
  const rows = rowLines(results.comparison, tableLimits).map(({ sign, text }) => `${sign} ${text}`)
  return rows.length === 0 ? [] : ['', ...rows, '']
}

const maxQueryLength = 4000

/** Returns the expected query and the answer: a build server keeps neither run database nor report. */
function queriesOf({ sample: { expected, answer } }: CaseRecord): string[] {
  const short = (sql: string): string =>
    sql.length > maxQueryLength ? `${sql.slice(0, maxQueryLength)}…` : sql.trimEnd()
  return [
    ...(expected === undefined ? [] : ['expected:', short(expected)]),
    ...(answer === undefined ? [] : ['answer:', short(answer)]),
  ]
}

function missingElement({ run, cases }: RunDetail): CaseElement | undefined {
  const missing = countNotAsked({ run, cases })
  if (run.status === 'finished' && missing === 0) return undefined
  const why = run.failure === undefined ? '' : `: ${run.failure}`
  const message = `the run is ${run.status}: ${missing} of ${run.total} cases were not run${why}`
  return {
    kind: 'error',
    seconds: 0,
    xml: [
      `    <testcase${attributes({ name: `run ${run.id}`, classname: 'autotest', time: '0.000' })}>`,
      `      <error${attributes({ message, type: run.status })}/>`,
      '    </testcase>',
    ].join('\n'),
  }
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(oneLine(String(value)))}"`)
    .join('')
}
