import type { RowComparison, RowDifference } from '../compare/model/sql-score.js'
import { findTieNondeterminism } from '../compare/outcomes/tie-nondeterminism.js'
import { withPrivateRows } from '../compare/results/private-rows.js'
import { describeMismatch } from '../compare/verdict/verdict-reason.js'
import type { QueryOutcome, Value } from '../engine/contract/engine.js'
import { type AuditContext, type AuditedCase, comparisonInput } from './audited-case.js'

const mostCell = 40

/**
 * Describes how the result differs if the same rows are stored in another order; undefined if it does not, or
 * if this cannot be determined.
 */
export async function differsWhenReordered(
  subject: AuditedCase,
  first: Extract<QueryOutcome, { kind: 'rows' }>,
  context: AuditContext,
): Promise<string | undefined> {
  const { engine, sql } = subject
  const found = await findTieNondeterminism(engine, sql, first, comparisonInput(subject, sql, context))
  if (found === undefined) return undefined
  const [example] = withPrivateRows(found, context.defaults.shownRows ?? 'full').differences
  const shown = example === undefined ? '' : describeExample(example, found)
  return `with the same rows stored in another order, it returns different rows: ${describeMismatch(found)}${shown}`
}

function describeExample(difference: RowDifference, { columns }: RowComparison): string {
  switch (difference.kind) {
    case 'changed': {
      const cells = difference.cells.map(
        (at) =>
          `${columns[at] ?? ''} ${shown(difference.actual[at])} instead of ${shown(difference.expected[at])}`,
      )
      return `, such as ${cells.slice(0, 3).join(', ')}`
    }
    case 'missing':
    case 'extra':
      return `, such as (${difference.row.slice(0, 5).map(shown).join(', ')}${difference.row.length > 5 ? ', …' : ''})`
    case 'columns':
    case 'order':
      return ''
  }
}

function shown(value: Value | undefined): string {
  const text = typeof value === 'object' && value !== null ? value.text : String(value ?? 'NULL')
  return text.length > mostCell ? `${text.slice(0, mostCell)}…` : text
}
