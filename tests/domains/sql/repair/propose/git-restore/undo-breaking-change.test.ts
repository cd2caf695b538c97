import { expect, it } from 'vitest'
import { noHistory, repair, warehouseForTests } from '../../repair-in-memory.js'
import { revenueId, revenueTh, shop, shopWith, taxId, taxVn } from '../../shop.js'
import { clean, id, metric, snippet, th } from './shop-history.js'

const warehouse = warehouseForTests()
const taxMetric = 'kb/metrics/tax.yaml'

type Files = Readonly<Record<string, string>>

/** Git that has these states of the knowledge, newest first; the one that is worked on is the first. */
function statesOf(states: readonly Files[]) {
  const changes = states.slice(1).map((before, index) => {
    const after = states[index] ?? {}
    const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return {
      by: `commit 1a2b3c${index}`,
      before,
      after,
      paths: paths.filter((path) => before[path] !== after[path]),
    }
  })
  const history = {
    ...noHistory,
    versionsOf: async (path: string) =>
      changes.flatMap(({ by, paths, before }) =>
        paths.includes(path) && before[path] !== undefined ? [{ text: before[path], by }] : [],
      ),
    changes: async () => changes,
    knowledgeChangedBy: async (by: string) =>
      changes
        .filter((change) => change.by === by)
        .flatMap(({ paths, before, after }) =>
          paths.map((path) => ({ path, before: before[path], after: after[path] })),
        ),
  }
  const removedLines = changes.flatMap(({ by, paths, before, after }) =>
    paths.flatMap((path) =>
      (before[path] ?? '')
        .split('\n')
        .filter((line) => line.trim() !== '' && !(after[path] ?? '').split('\n').includes(line))
        .map((text) => ({ path, text, by })),
    ),
  )
  return { history, removedLines }
}

const plain = { ...shop }
const broken = shopWith({ [snippet]: ["  AND status = 'paid'\n", ''] })

it.each([
  [
    'a metric that was pointed to another snippet',
    {
      ...shopWith({ [metric]: ['snippet: revenue.sql', 'snippet: turnover.sql'] }),
      'kb/snippets/turnover.sql': clean(snippet).replace("  AND status = 'paid'\n", ''),
    },
    [id, th],
    [metric],
  ],
  [
    'a value whose code was changed with the placeholder of the query',
    shopWith({
      [metric]: ['TH: [Thailand]', 'TL: [Thailand]'],
      [snippet]: ['sum(amount)', 'sum(amount) - 1'],
    }),
    [th],
    [metric, snippet],
  ],
  [
    'a name that another metric took',
    shopWith({
      [metric]: ['aliases: [revenue, turnover]', 'aliases: [revenue]'],
      [taxMetric]: ['aliases: [tax]', 'aliases: [tax, turnover]'],
    }),
    [th],
    [metric, taxMetric],
  ],
] as const)(
  "%s comes back with the change that took it away, in its author's bytes",
  async (_what, files, cases, paths) => {
    const { attempts, text } = await repair(warehouse, files, cases, statesOf([files, plain]))
    expect(attempts).toMatchObject([
      { outcome: 'accepted', title: 'revenue: as it was before commit 1a2b3c0' },
    ])
    for (const path of paths) expect(text(path)).toBe(clean(path))
  },
)

it('of a change of several files, what the cases do not need stays', async () => {
  const files = { ...broken, [taxMetric]: clean(taxMetric).replace('aliases: [tax]', 'aliases: [tax, duty]') }
  const { attempts, text } = await repair(warehouse, files, [id, th], statesOf([files, plain]))
  expect(attempts).toMatchObject([{ outcome: 'accepted' }])
  expect(text(snippet)).toBe(clean(snippet))
  expect(text(taxMetric)).toContain('duty')
})

it('of a change of several lines, what the cases do not need stays', async () => {
  const text = `-- both days count\n${(broken[snippet] ?? '').replace('sum(amount) AS', 'sum( amount ) AS')}`
  const files = { ...broken, [snippet]: text }
  const { text: written } = await repair(warehouse, files, [id, th], statesOf([files, plain]))
  expect(written(snippet)).toBe(
    text.replace('  AND is_test = 0\n', "  AND status = 'paid'\n  AND is_test = 0\n"),
  )
})

it('a text that was rewritten and lost a condition keeps its new form where the rules put the condition back', async () => {
  const text = `WITH base AS (
  SELECT amount
  FROM sales
  WHERE market = {{ market }}
    AND day BETWEEN {{ period.start }} AND {{ period.end }}
    AND is_test = 0
)
SELECT sum(amount) AS revenue FROM base
`
  const files = { ...shop, [snippet]: text }
  const { text: written } = await repair(warehouse, files, [revenueId, revenueTh], statesOf([files, plain]))
  expect(written(snippet)).toContain('WITH base AS')
  expect((written(snippet) ?? '').replace(/ *AND status = 'paid'\n/, '')).toBe(text)
})

it('what was written after the change stays', async () => {
  const since = { ...broken, [snippet]: `-- both days count\n${broken[snippet]}` }
  const { text } = await repair(warehouse, since, [id], statesOf([since, broken, plain]))
  expect(text(snippet)).toBe(`-- both days count\n${clean(snippet)}`)
})

it('no value of a case is written where a later change stands in its place: the former text is used or nothing', async () => {
  const later = { ...broken, [snippet]: (broken[snippet] ?? '').replace('is_test = 0', 'is_test IN (0, 1)') }
  const { text } = await repair(warehouse, later, [id], statesOf([later, broken, plain]))
  expect([clean(snippet), later[snippet]]).toContain(text(snippet))
})

it('a case that never passed has no such change', async () => {
  const wrong = { ...id, expectedSql: 'SELECT 1 AS revenue' }
  const { attempts, result } = await repair(warehouse, broken, [wrong], statesOf([broken, plain]))
  expect(attempts.filter(({ outcome }) => outcome === 'accepted')).toEqual([])
  expect(result.findings.get('revenue_id')?.cause).not.toContain('it passed before')
})

it('a case that was answered once and never passed does not say that it passed', async () => {
  const files = { ...broken, [metric]: clean(metric).replace('ID: [Indonesia], ', '') }
  const wrong = { ...id, expectedSql: 'SELECT 1 AS revenue' }
  const { result } = await repair(warehouse, files, [wrong], statesOf([files, broken, plain]))
  expect(result.findings.get('revenue_id')?.cause).toBeDefined()
  expect(result.findings.get('revenue_id')?.cause).not.toContain('it passed before')
})

it('a case that is left says before which change it passed, and nothing is run for that alone', async () => {
  const files = { ...broken, [metric]: clean(metric).replace('snippet: revenue.sql', 'snippet: tax.sql') }
  const cause = async (maxRetries: number) => {
    const options = { ...statesOf([files, plain]), maxRetries, minGrade: 'E2' } as const
    const { result } = await repair(warehouse, files, [revenueId], options)
    return result.findings.get('revenue_id')?.cause
  }
  expect(await cause(1)).toMatch(/; it passed before commit 1a2b3c0$/)
  expect(await cause(0)).not.toContain('it passed before')
})

it('two cases that began to fail with two changes are repaired with both', async () => {
  const first = { ...shop, [taxMetric]: clean(taxMetric).replace('snippet: tax.sql', 'snippet: revenue.sql') }
  const second = { ...first, [metric]: clean(metric).replace('snippet: revenue.sql', 'snippet: tax.sql') }
  const { text } = await repair(
    warehouse,
    second,
    [revenueId, revenueTh, taxId],
    statesOf([second, first, plain]),
  )
  expect([text(metric), text(taxMetric)]).toEqual([clean(metric), clean(taxMetric)])
})

it('a query that was broken while another metric was pointed to it is repaired, and so is the other metric', async () => {
  const files = {
    ...broken,
    [taxMetric]: clean(taxMetric).replace('snippet: tax.sql', 'snippet: revenue.sql'),
  }
  const cases = [revenueId, revenueTh, taxId, taxVn]
  const { text, result } = await repair(warehouse, files, cases, statesOf([files, plain]))
  expect([...result.findings.values()].map(({ label }) => label)).not.toContain('suspect_oracle')
  expect([text(snippet), text(taxMetric)]).toEqual([clean(snippet), clean(taxMetric)])
})

it('a query that was moved and broken is mended where it is now', async () => {
  const moved = 'kb/snippets/turnover.sql'
  const { [snippet]: was = '', ...rest } = broken
  const files = {
    ...rest,
    [moved]: was,
    [metric]: clean(metric).replace('snippet: revenue.sql', 'snippet: turnover.sql'),
  }
  const { text, attempts } = await repair(warehouse, files, [id, th], statesOf([files, plain]))
  expect(attempts.at(-1)?.reasoning).toContain(`with ${moved} as ${snippet} was before commit 1a2b3c0`)
  expect([text(moved), text(metric), text(snippet)]).toEqual([clean(snippet), files[metric], undefined])
})

it.each([
  ['and both at once', broken],
  ['also where the first was mended since', plain],
])('what a later change of another file broke as well comes back, %s', async (_what, today) => {
  const later = shopWith({ [metric]: [', TH: [Thailand]', ''], [snippet]: ["  AND status = 'paid'\n", ''] })
  const files = { ...today, [metric]: later[metric] ?? '' }
  const states = today === plain ? [files, later, broken, plain] : [later, broken, plain]
  const { attempts, text } = await repair(warehouse, files, [th], statesOf(states))
  expect(attempts.at(-1)).toMatchObject({ outcome: 'accepted' })
  expect([text(metric), text(snippet)]).toEqual([clean(metric), clean(snippet)])
})
