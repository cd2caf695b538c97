import { wrapAnsi } from 'fast-wrap-ansi'
import type { ResultFinding, SqlScore } from '../../compare/model/sql-score.js'
import type { Verdict } from '../../contracts/score.js'
import { describeResults, describeStructure, oneLine } from '../format-text.js'
import { padEnd, rowLines } from '../row-differences.js'
import {
  field,
  labelWidth,
  paint,
  type Screen,
  type SemanticStyle,
  truncateTo,
  wrap,
} from './screen-layout.js'

/** Canonical forms of both queries; undefined if one cannot be parsed. */
export interface CanonicalFormPair {
  readonly expected: string | undefined
  readonly generated: string | undefined
}

const tableRows = 8
const indent = labelWidth + 2

/**
 * Renders the comparison of two queries: the findings on their structure and their results, and the verdict
 * with its reason.
 */
export function comparisonLines(score: SqlScore, engine: string | undefined, screen: Screen): string[] {
  return [
    ...structureLines(score, screen),
    ...resultLines(score, engine, screen),
    ...verdictLines(score, screen),
  ]
}

function assumptionLines(title: string, assumptions: readonly string[], screen: Screen): string[] {
  return [
    ...field('structure', title, screen),
    ...assumptions.flatMap((text) => field('', `· ${text}`, screen)),
  ]
}

function structureLines({ structure }: SqlScore, screen: Screen): string[] {
  switch (structure?.kind) {
    case undefined:
      return []
    case 'equal':
      return structure.assumptions === undefined
        ? field('structure', 'equal', screen)
        : assumptionLines('equal, assuming that', structure.assumptions, screen)
    case 'unparsable':
      return field('structure', `unparsable: the ${structure.side} query: ${structure.message}`, screen)
    case 'equal_if':
      return assumptionLines('equal if', structure.assumptions, screen)
    case 'different':
      return [
        ...field('structure', 'different (not proved equal)', screen),
        ...structure.differences.slice(0, maxDifferences).flatMap(({ component, text }, at) => {
          const first = structure.differences.findIndex((other) => other.component === component) === at
          return componentLines(first ? component.replaceAll('_', ' ') : '', text, screen)
        }),
        ...(structure.differences.length > maxDifferences
          ? field('', `… and ${structure.differences.length - maxDifferences} more differences`, screen)
          : []),
      ]
  }
}

/** Further differences only confirm that the queries are unlike. */
const maxDifferences = 40
const componentWidth = 15
const componentLimit = 4

function componentLines(component: string, text: string, screen: Screen): string[] {
  const room = screen.width - indent - componentWidth
  return wrap(oneLine(text), room, componentLimit).map(
    (line, at) =>
      ' '.repeat(indent) + paint(screen, 'detail', padEnd(at === 0 ? component : '', componentWidth)) + line,
  )
}

function resultLines({ results }: SqlScore, engine: string | undefined, screen: Screen): string[] {
  if (engine === undefined) return field('results', 'not run: no engine is configured', screen)
  const words = describeResults(results)
  if (words === undefined) return []
  const where = results === undefined || results.kind === 'skipped' ? '' : ` (${placeOf(results, engine)})`
  const table =
    results?.kind === 'mismatch'
      ? rowLines(results.comparison, { width: screen.width - indent - 2, rows: tableRows })
      : []
  return [
    ...field('results', words + where, screen),
    ...table.map((line) => {
      const text = `${' '.repeat(indent)}${line.sign} ${truncateTo(line.text, screen.width - indent - 2)}`
      return paint(screen, line.sign === ' ' ? 'detail' : line.sign === '-' ? 'good' : 'bad', text)
    }),
    ...(table.length > 0 ? field('', '- expected, + generated', screen) : []),
  ]
}

function placeOf(results: ResultFinding, engine: string): string {
  const isOnCopy = results.kind === 'mismatch' || results.kind === 'generated_failed'
  const copy = isOnCopy ? results.copy : undefined
  return copy === undefined ? engine : `${engine}, seed ${copy.seed}`
}

const meanings: Readonly<Record<Verdict, SemanticStyle>> = {
  pass: 'good',
  fail: 'bad',
  unproven: 'repaired',
  error: 'bad',
  skipped: 'detail',
}

function verdictLines(score: SqlScore, screen: Screen): string[] {
  const { verdict } = score
  const [first = '', ...rest] = field('verdict', `${verdict}: ${remainingReason(score)}`, screen)
  const at = first.indexOf(verdict, first.indexOf('verdict') + 'verdict'.length)
  const painted =
    first.slice(0, at) + paint(screen, meanings[verdict], verdict) + first.slice(at + verdict.length)
  return [painted, ...rest]
}

/** Returns the reason without the differences that are printed above it. */
function remainingReason({ reason, structure }: SqlScore): string {
  const told = describeStructure(structure).join('; ')
  if (told === '' || !reason.startsWith(told)) return reason
  const rest = reason.slice(told.length).replace(/^; /, '')
  return rest === '' ? 'the structure differs, and the queries were not run' : rest
}

const minTwoColumnWidth = 72
const gutter = ' │ '

/** Renders the canonical forms side by side; one below the other on narrow screens. */
export function formLines(forms: CanonicalFormPair, screen: Screen): string[] {
  const [expected, generated] = [
    forms.expected ?? '(cannot be parsed)',
    forms.generated ?? '(cannot be parsed)',
  ]
  const title = expected === generated ? 'canonical form of both' : undefined
  if (title !== undefined) return ['', paint(screen, 'heading', title), ...wrapForm(expected, screen.width)]
  if (screen.width < minTwoColumnWidth) {
    return [
      '',
      paint(screen, 'heading', 'expected'),
      ...wrapForm(expected, screen.width),
      paint(screen, 'heading', 'generated'),
      ...wrapForm(generated, screen.width),
    ]
  }
  const width = Math.floor((screen.width - gutter.length) / 2)
  const [left, right] = [wrapForm(expected, width), wrapForm(generated, width)]
  const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, at) =>
    (padEnd(left[at] ?? '', width) + gutter + (right[at] ?? '')).trimEnd(),
  )
  return ['', paint(screen, 'heading', `${padEnd('expected', width)}${gutter}generated`), ...rows]
}

/** Matches the clauses that begin a separate line. */
const clauses = / (?=(?:FROM|WHERE|GROUP BY|HAVING|QUALIFY|ORDER BY|LIMIT|UNION|INTERSECT|EXCEPT)\b)/g
const maxFormLength = 20_000

function wrapForm(form: string, width: number): string[] {
  const text = form.length > maxFormLength ? `${form.slice(0, maxFormLength)}…` : form
  return text.split(clauses).flatMap((clause) => wrapAnsi(oneLine(clause), width, { hard: true }).split('\n'))
}
