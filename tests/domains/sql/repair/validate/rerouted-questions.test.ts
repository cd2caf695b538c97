import { describe, expect, it } from 'vitest'
import type { Edit } from '../../../../../src/edit/edit-types.js'
import { repair, warehouseForTests } from '../repair-in-memory.js'
import { scripted } from '../scripted-proposer.js'
import { caseOf, revenueSql, shop, shopWith } from '../shop.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const cases = [
  caseOf('revenue_id', 'ID market revenue in November 2025', revenueSql('ID', '2025-11-01', '2025-11-30')),
  caseOf('revenue_th', 'TH market revenue in August 2025', revenueSql('TH', '2025-08-01', '2025-08-31')),
]
const unpaid = shopWith({ [revenue]: ["  AND status = 'paid'\n", ''] })
const paid = {
  'kb/metrics/paid.yaml': (shop['kb/metrics/revenue.yaml'] ?? '')
    .replace('metric: revenue', 'metric: paid')
    .replace('[revenue, turnover]', '[market revenue]')
    .replace('revenue.sql', 'paid.sql'),
  'kb/snippets/paid.sql': shop[revenue] ?? '',
}

async function repairWith(files: Readonly<Record<string, string>>, edits: readonly Edit[]) {
  const { attempts, result } = await repair(warehouse, files, cases, {
    rules: false,
    maxRetries: 1,
    proposer: scripted(() => edits),
  })
  return { attempts, cause: result.findings.get('revenue_id')?.cause }
}

const alias = (
  metric: string,
  action: 'append' | 'remove',
  value: string,
  from: readonly string[],
): Edit => ({
  kind: 'edit_metric',
  path: `kb/metrics/${metric}.yaml`,
  entry: `metric:${metric}`,
  action,
  at: action === 'append' ? ['aliases'] : ['aliases', from.indexOf(value)],
  expected: action === 'append' ? from : value,
  value: action === 'append' ? value : undefined,
})

describe('findReroutedQuestions', () => {
  it('refuses a new metric for the words of questions that name another one', async () => {
    const { attempts, cause } = await repairWith(unpaid, [
      { kind: 'create_snippet', path: 'kb/snippets/paid.sql', text: paid['kb/snippets/paid.sql'] },
      { kind: 'create_metric', path: 'kb/metrics/paid.yaml', text: paid['kb/metrics/paid.yaml'] },
    ])
    expect(attempts).toEqual([])
    expect(cause).toContain('names revenue, and would resolve to paid')
  })

  it('refuses them as an alias of a metric that is there', async () => {
    const other = {
      ...paid,
      'kb/metrics/paid.yaml': paid['kb/metrics/paid.yaml'].replace('market revenue', 'paid sum'),
    }
    const { attempts } = await repairWith({ ...unpaid, ...other }, [
      alias('paid', 'append', 'market revenue', ['paid sum']),
    ])
    expect(attempts).toEqual([])
  })

  it('accepts an alias of the metric that it belongs to', async () => {
    const other = {
      ...paid,
      'kb/metrics/paid.yaml': paid['kb/metrics/paid.yaml'].replace('market revenue', 'paid sum'),
    }
    const { attempts } = await repairWith({ ...unpaid, ...other }, [
      alias('revenue', 'remove', 'revenue', ['revenue', 'turnover']),
      alias('paid', 'append', 'revenue', ['paid sum']),
    ])
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
  })
})
