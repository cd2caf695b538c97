import { describe, expect, it } from 'vitest'
import { checkOtherMeanings } from '../../../../../../src/domains/sql/repair/decide/single-example-checks/other-meanings.js'
import { appendToList } from '../../../../../../src/domains/sql/repair/diagnose/metadata-changes/metadata-change.js'
import {
  knowledgeBaseOf,
  renderEdits,
} from '../../../../../../src/domains/sql/repair/model/repair-context.js'
import type { RepairPlan } from '../../../../../../src/domains/sql/repair/model/sql-repair-types.js'
import { applyPlan } from '../../../../../../src/repair/model/repair-plan.js'
import { snapshotOf } from '../../../../../kb/knowledge-files.js'
import { contextOf, warehouseForTests } from '../../repair-in-memory.js'
import { caseOf, shop } from '../../shop.js'

const warehouse = warehouseForTests()

function concernsAbout(word: string, metric: string, questions: readonly string[]): string[] {
  const snapshot = snapshotOf(shop)
  const context = contextOf(warehouse)
  const known = knowledgeBaseOf(snapshot, context).metrics.find(({ name }) => name === metric)
  if (known === undefined) throw new Error(`no metric ${metric}`)
  const plan = {
    ...{ label: 'missing_alias', subject: metric, title: '', reasoning: '', goldExposed: true, size: 1 },
    signature: '',
    edits: renderEdits([appendToList(known, { kind: 'aliases' }, word, known.aliases)], snapshot, context),
    cases: questions.map((question, at) => caseOf(`c${at}`, question, 'SELECT 1')),
  } as unknown as RepairPlan
  const candidate = applyPlan(plan, snapshot)
  if (candidate === undefined) throw new Error('the edit does not apply')
  return checkOtherMeanings(plan, snapshot, candidate, context)
}

describe('a new name that is also something else', () => {
  it('needs a second case where it names a table', () => {
    expect(concernsAbout('sales', 'tax', ['ID sales in May 2025'])).toEqual([
      'only one case supports "sales", which is also the table sales',
    ])
    expect(concernsAbout('sale', 'tax', ['ID sale in May 2025'])).toHaveLength(1)
    expect(concernsAbout('sales', 'tax', ['ID sales in May 2025', 'TH sales in May 2025'])).toEqual([])
  })

  it('is what a metric counts where that counts the rows of the table', () => {
    expect(concernsAbout('sales', 'everything', ['sales'])).toEqual([])
  })

  it('is nothing else as a rule', () => {
    expect(concernsAbout('levies', 'tax', ['ID levies in May 2025'])).toEqual([])
  })
})
