import {
  type Example,
  proposeSnippets,
  type SnippetProposal,
} from '../../../../../../src/domains/sql/repair/propose/rules/snippet-proposals.js'
import type { Metric, Parameter, Snippet } from '../../../../../../src/kb/entry.js'
import type { Binding } from '../../../../../../src/kb/question-interpretation.js'
import { renderSnippet } from '../../../../../../src/kb/render-snippet.js'
import type { SqlParser } from '../../../../../../src/sql/index.js'

const parameters = new Map<string, Parameter>([
  [
    'market',
    {
      type: 'enum',
      values: new Map([
        ['ID', []],
        ['TH', []],
        ['VN', []],
      ]),
    },
  ],
  ['period', { type: 'date_range' }],
  ['n', { type: 'number', words: ['top'], integer: true }],
  [
    'by',
    {
      type: 'choice',
      values: new Map([
        ['channel', { sql: 'channel', aliases: [] }],
        ['month', { sql: "date_trunc('month', paid_at)", aliases: [] }],
      ]),
    },
  ],
])

export function metricOf(name: string): Metric {
  return {
    id: `metric:${name}`,
    name,
    title: name,
    aliases: [name],
    snippet: `${name}.sql`,
    parameters,
    path: `kb/metrics/${name}.yaml`,
  }
}

export function snippetOf(name: string, text: string): Snippet {
  return { id: `snippet:${name}.sql`, name: `${name}.sql`, text, path: `kb/snippets/${name}.sql` }
}

export interface Question {
  readonly market: string
  readonly start: string
  readonly end: string
  readonly n: number
  readonly by?: 'channel' | 'month'
}

export const november: Question = { market: 'ID', start: '2025-11-01', end: '2025-11-30', n: 5 }
export const december: Question = { market: 'TH', start: '2025-12-01', end: '2025-12-31', n: 10, by: 'month' }
export const october: Question = { market: 'VN', start: '2025-10-01', end: '2025-10-31', n: 3, by: 'month' }

export function bindingsOf({ market, start, end, n, by = 'channel' }: Question): Binding[] {
  const sql = by === 'channel' ? 'channel' : "date_trunc('month', paid_at)"
  const span = { start: 0, end: 1, text: 'x' }
  return [
    { parameter: 'market', value: { kind: 'enum', code: market }, span },
    { parameter: 'period', value: { kind: 'date_range', start, end, grain: 'month' }, span },
    { parameter: 'n', value: { kind: 'number', value: n }, span },
    { parameter: 'by', value: { kind: 'choice', name: by, sql }, span },
  ]
}

export function render(text: string, question: Question): string {
  const outcome = renderSnippet(snippetOf('x', text), metricOf('x'), bindingsOf(question), 'duckdb')
  if (outcome.kind !== 'sql') throw new Error(outcome.message)
  return outcome.sql
}

/** A failing case that expects what `good` says; `restyle` writes it as another person would. */
export function exampleOf(
  good: string,
  question: Question,
  restyle: (sql: string) => string = (sql) => sql,
): Example {
  return {
    caseId: `${question.market} ${question.start}`,
    expectedSql: restyle(render(good, question)),
    bindings: bindingsOf(question),
  }
}

/** Lines removed plus lines added. */
export function changedLines(before: string, after: string): number {
  const left = before.split('\n')
  const right = after.split('\n')
  const lengths = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0))
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      const [here, below] = [lengths[row], lengths[row + 1]]
      if (here === undefined || below === undefined) continue
      here[column] =
        left[row] === right[column]
          ? (below[column + 1] ?? 0) + 1
          : Math.max(below[column] ?? 0, here[column + 1] ?? 0)
    }
  }
  return left.length + right.length - 2 * (lengths[0]?.[0] ?? 0)
}

/** What is proposed for a broken snippet, where the questions' cases expect what `good` says. */
export function proposalsFor(
  parser: SqlParser,
  name: string,
  [broken, good]: readonly [broken: string, good: string],
  questions: readonly Question[],
): SnippetProposal[] {
  return proposeSnippets({
    parser,
    dialect: 'duckdb',
    metric: metricOf(name),
    snippet: snippetOf(name, broken),
    examples: questions.map((question) => exampleOf(good, question)),
  }).proposals
}
