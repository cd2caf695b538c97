import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Example,
  proposeSnippets,
} from '../../../../../../src/domains/sql/repair/propose/rules/snippet-proposals.js'
import { loadSqlParser, type SqlParser } from '../../../../../../src/sql/index.js'
import { bindingsOf, december, exampleOf, metricOf, november, snippetOf } from './snippet-examples.js'

let parser: SqlParser

beforeAll(async () => {
  parser = await loadSqlParser()
})

function propose(text: string, ...examples: readonly Example[]): ReturnType<typeof proposeSnippets> {
  const snippet = snippetOf('dau', text)
  return proposeSnippets({ parser, dialect: 'duckdb', metric: metricOf('dau'), snippet, examples })
}

function best(text: string, ...examples: readonly Example[]): string | undefined {
  return propose(text, ...examples).proposals[0]?.text
}

/** A failing case of November in Indonesia with the expected query as it stands. */
function expecting(expectedSql: string, question = november): Example {
  return { caseId: `${question.market}_${question.start}`, expectedSql, bindings: bindingsOf(question) }
}

const dau = `SELECT grass_region, avg(a1) AS dau
FROM traffic.active
WHERE grass_date BETWEEN {{ period.start }} AND {{ period.end }}
  AND grass_region = {{ market }}
GROUP BY 1
`

describe('what a proposal says', () => {
  it('describes the change in words, with its size and a title', () => {
    const good = dau.replace('  AND grass_region', "  AND tz_type = 'local'\n  AND grass_region")
    const { proposals, abstained } = propose(dau, exampleOf(good, november))
    expect(abstained).toBeUndefined()
    expect(proposals[0]).toEqual({
      text: good,
      changedTokens: 4,
      explanation: ["adds the filter tz_type = 'local'"],
      title: "dau: filter tz_type = 'local' was missing",
    })
  })

  it('describes a table that moved', () => {
    const { proposals } = propose(
      dau,
      exampleOf(dau.replace('traffic.active', 'traffic.active_v5'), november),
    )
    expect(proposals[0]?.explanation).toEqual(['reads traffic.active_v5 instead of traffic.active'])
  })

  it('describes a name that one sub-query gives to the next, wherever it stands', () => {
    const good = `WITH daily AS (
  SELECT local_day, sum(kwh) AS kwh
  FROM readings
  WHERE region = {{ market }}
    AND local_day BETWEEN {{ period.start }} AND {{ period.end }}
  GROUP BY local_day
)
SELECT local_day, kwh
FROM daily
QUALIFY rank() OVER (ORDER BY kwh DESC) = 1
`
    const { proposals } = propose(good.replaceAll('local_day', 'read_at'), exampleOf(good, november))
    expect(proposals[0]).toMatchObject({
      text: good,
      title: 'dau: local_day instead of read_at',
      explanation: ['has local_day wherever the snippet has read_at'],
    })
  })

  it('counts the further faults in the title', () => {
    const good = dau.replace('avg(a1)', 'sum(a2)').replace('traffic.active', 'traffic.accounts')
    expect(propose(dau, exampleOf(good, november)).proposals[0]?.title).toMatch(/ \(and 1 more\)$/)
  })
})

describe('abstaining', () => {
  it('abstains where the snippet says what is expected already', () => {
    expect(propose(dau, exampleOf(dau, november)).abstained).toMatch(/already matches/)
  })

  it('follows the expected query in what says the same, where it does so already and the case fails nevertheless', () => {
    const good = `WITH baskets AS (
  SELECT order_id, sum(quantity) AS items
  FROM lines
  WHERE market = {{ market }}
  GROUP BY order_id
)
SELECT avg(items) AS items
FROM baskets
`
    // Nothing reads the column, so that both say the same; but no engine takes a column that is not grouped by.
    const refused = good.replace('SELECT order_id', 'SELECT account_id')
    expect(best(refused, exampleOf(good, november))).toBe(good)
  })

  it('abstains where the expected query cannot be read, and names the case', () => {
    expect(propose(dau, expecting('SELECT FROM WHERE')).abstained).toBe(
      'the expected query of ID_2025-11-01 cannot be read',
    )
  })

  it('abstains where two cases contradict each other', () => {
    const one = exampleOf(dau.replace('avg', 'sum'), november)
    const other = exampleOf(dau.replace('avg', 'max'), december)
    const { proposals, abstained } = propose(dau, one, other)
    expect(proposals).toEqual([])
    expect(abstained).toMatch(/no small change .* fixes it/)
  })

  it('abstains without a failing case', () => {
    expect(propose(dau).proposals).toEqual([])
  })

  it('abstains from a query of another kind', () => {
    const union = 'SELECT 1 AS a UNION ALL SELECT 2 UNION ALL SELECT 3'
    expect(propose(dau, expecting(union)).proposals).toEqual([])
  })
})

describe('an order that no case asks for', () => {
  const ordered = `${dau}ORDER BY 2 DESC\n`
  const unfiltered = (text: string): string => text.replace('  AND grass_region = {{ market }}\n', '')

  it('stays as the author wrote it where something else is wrong; taking it out too is the other plan', () => {
    const { proposals } = propose(unfiltered(ordered), exampleOf(dau, november), exampleOf(dau, december))
    expect(proposals.map(({ text }) => text)).toEqual([ordered, dau])
  })

  it('contradicts no case that asks for it', () => {
    const both = [exampleOf(dau, november), exampleOf(ordered, december)]
    expect(best(unfiltered(ordered), ...both)).toBe(ordered)
    expect(best(unfiltered(dau), ...both.reverse())).toBe(ordered)
  })

  it('is removed where nothing else is wrong and the case fails nevertheless', () => {
    expect(best(ordered, exampleOf(dau, november))).toBe(dau)
  })

  it('is removed where it decides which rows there are', () => {
    const few = `${dau}LIMIT 1\n`
    expect(best(unfiltered(`${ordered}LIMIT 1\n`), exampleOf(few, november), exampleOf(few, december))).toBe(
      few,
    )
  })
})

describe('values of the question', () => {
  it('never writes a value of the question as a literal', () => {
    const broken = dau.replace('  AND grass_region = {{ market }}\n', '')
    expect(best(broken, exampleOf(dau, november))).toBe(dau)
  })

  it('writes a hard-coded value as the placeholder even where only another fault makes the case fail', () => {
    const broken = dau.replace('{{ market }}', "'ID'").replace('avg(a1)', 'sum(a1)')
    const { proposals } = propose(broken, exampleOf(dau, november))
    expect(proposals.map((proposal) => proposal.text)).toEqual([dau])
  })

  it('keeps a literal that only happens to equal a value where another case shows it is constant', () => {
    const good = dau.replace('GROUP', "  AND home = 'ID'\nGROUP")
    expect(best(dau, exampleOf(good, november), exampleOf(good, december))).toBe(good)
  })

  it('does not write a part of a period: that would answer this question only', () => {
    const example = expecting(
      "SELECT grass_region, avg(a1) AS dau FROM traffic.active WHERE month = '2025-11' GROUP BY 1",
    )
    expect(propose(dau, example).proposals).toEqual([])
  })

  it('leaves the 1 of substr alone when the question asks for the top 1', () => {
    const good = `SELECT substr(site, 1, 7) AS site, count(*) AS n FROM visits WHERE kind = 'page' GROUP BY 1 ORDER BY n DESC LIMIT {{ n }}`
    const one = { ...november, n: 1 }
    expect(best(good.replace("WHERE kind = 'page' ", ''), exampleOf(good, one))).toBe(good)
    expect(best(good.replace(' LIMIT {{ n }}', ''), exampleOf(good, one))).toBe(good)
    expect(best(good.replace('substr(site, 1, 7)', 'site'), exampleOf(good, one))).toBe(good)
  })

  it('reads on a period of one day which bound is meant from the comparison', () => {
    const good =
      'SELECT count(*) AS n FROM visits WHERE day >= {{ period.start }} AND day <= {{ period.end }}'
    const day = { ...november, end: november.start }
    const broken = good.replaceAll('day ', 'ts ')
    expect(best(broken, exampleOf(good, day))).toBe(good)
    expect(best('SELECT count(*) AS n FROM visits', exampleOf(good, day))).toBe(good)
  })

  it('shows a chosen dimension by its placeholder and filters on the column by its name', () => {
    const good = `SELECT {{ by }} AS slice, count(*) AS orders
FROM commerce.orders
WHERE channel <> 'test'
GROUP BY 1
`
    expect(best(good.replace('{{ by }}', 'region'), exampleOf(good, november))).toBe(good)
    expect(best(good.replace("channel <> 'test'", 'is_real'), exampleOf(good, november))).toBe(good)
    expect(best(good.replace('{{ by }}', 'region'), exampleOf(good, december))).toBe(good)
  })

  it('infers a missing parameter from several cases of different values', () => {
    const broken = dau.replace('{{ market }}', "'VN'")
    expect(best(broken, exampleOf(dau, november), exampleOf(dau, december))).toBe(dau)
  })
})

describe('the author’s text', () => {
  it('is untouched by an expected query in other words', () => {
    const example = expecting(`
      select t.grass_region as region, avg(t.a1)
      from traffic.active as t
      where t.grass_region = 'ID' and date '2025-11-30' >= t.grass_date and t.grass_date >= date '2025-11-01'
        and t.tz_type = 'local'
      group by t.grass_region`)
    expect(best(dau, example)).toBe(
      dau.replace('{{ period.end }}\n', "{{ period.end }}\n  AND tz_type = 'local'\n"),
    )
  })

  it('keeps lower-case key words on one line', () => {
    const text = 'select count(*) as n from visits v where v.market = {{ market }}'
    const example = expecting("SELECT COUNT(*) AS n FROM visits WHERE market = 'ID' AND is_bot IS NOT TRUE")
    expect(best(text, example)).toBe(`${text} and v.is_bot is not true`)
  })

  it('keeps ANDs at the ends of lines', () => {
    const text = 'SELECT count(*) AS n\nFROM visits\nWHERE market = {{ market }} AND\n      NOT is_bot\n'
    const good = text.replace('{{ market }} AND\n', '{{ market }} AND\n      is_new AND\n')
    expect(best(text, exampleOf(good, november))).toBe(good)
    const last = text.replace('NOT is_bot', 'NOT is_bot AND\n      is_new')
    expect(best(text, exampleOf(last, november))).toBe(last)
  })

  it('keeps the AND of a line that loses its first condition', () => {
    const worse = dau.replace('  AND grass_region', "  AND tz_type = 'local' AND grass_region")
    expect(best(worse, exampleOf(dau, november))).toBe(dau)
  })

  it('gets several missing conditions on lines of their own, as its clauses are written', () => {
    expect(best(dau.replace(/WHERE[\s\S]*?(?=GROUP)/, ''), exampleOf(dau, november))).toBe(dau)
  })

  it('gets a bracketed condition of several lines on one, brackets next to it', () => {
    const good = dau.replace('  AND', '  AND (\n    a1 > 0\n    OR a2 > 0\n  )\n  AND')
    expect(best(dau, exampleOf(good, november))).toBe(dau.replace('  AND', '  AND (a1 > 0 OR a2 > 0)\n  AND'))
  })

  it('has its functions in small letters where only the IN behind them is written large', () => {
    const worse = dau.replace('  AND grass_region', "  AND tz IN ('a', 'b')\n  AND grass_region")
    const good = worse.replace('avg(a1)', 'sum(a1) / count(a2)')
    expect(best(worse, exampleOf(good, november))).toBe(good)
  })

  it('leaves the comment of the line in front in its place', () => {
    const text =
      'SELECT count(*) AS n\nFROM visits\nWHERE market = {{ market }} -- of the visitor\n  AND NOT is_bot\n'
    const good = text.replace('visitor\n', 'visitor\n  AND is_new\n')
    expect(best(text, exampleOf(good, november))).toBe(good)
    expect(best(good, exampleOf(text, november))).toBe(text)
  })

  it('keeps carriage returns', () => {
    const text = dau.replaceAll('\n', '\r\n')
    const good = text.replace('  AND grass_region', "  AND tz_type = 'local'\r\n  AND grass_region")
    expect(best(text, exampleOf(good, november))).toBe(good)
  })

  it('brackets an OR that it joins with AND', () => {
    const text = "SELECT count(*) AS n FROM shops WHERE status = 'open' OR status = 'paused'"
    const example = expecting(
      "SELECT count(*) AS n FROM shops WHERE (status = 'open' OR status = 'paused') AND market = 'ID'",
    )
    expect(best(text, example)).toBe(
      "SELECT count(*) AS n FROM shops WHERE (status = 'open' OR status = 'paused') AND market = {{ market }}",
    )
  })

  it('follows a table without alias through the columns that name it', () => {
    const text =
      'SELECT sum(orders_v1.amount) AS gmv FROM commerce.orders_v1 WHERE orders_v1.market = {{ market }}'
    expect(best(text, exampleOf(text.replaceAll('orders_v1', 'orders'), november))).toBe(
      text.replaceAll('orders_v1', 'orders'),
    )
  })

  it('numbers the columns behind one that was missing again', () => {
    const good = `SELECT grass_region, platform, avg(a1) AS dau
FROM traffic.active
WHERE grass_region = {{ market }}
GROUP BY 1, 2
ORDER BY 3 DESC
`
    const broken = good.replace(' platform,', '').replace('BY 1, 2', 'BY 1').replace('BY 3', 'BY 2')
    expect(best(broken, exampleOf(good, november))).toBe(good)
  })
})

describe('other shapes of the expected query', () => {
  it('reads a derived table where the snippet has a CTE, under other names', () => {
    const text = `WITH daily AS (
  SELECT day, sum(visits) AS total
  FROM traffic.pages
  WHERE market = {{ market }}
  GROUP BY day
)
SELECT avg(d.total) AS visits
FROM daily d
`
    const example = expecting(`SELECT avg(x.v) AS mean FROM (
      SELECT day, sum(visits) AS v FROM traffic.pages WHERE market = 'ID' AND NOT is_bot GROUP BY 1) AS x`)
    expect(best(text, example)).toBe(text.replace('{{ market }}\n', '{{ market }}\n    AND NOT is_bot\n'))
  })

  it('writes columns of a join with the snippet’s aliases', () => {
    const text = `SELECT sum(i.quantity) AS units
FROM commerce.orders o
JOIN commerce.order_items i ON i.order_id = o.order_id
WHERE o.market = {{ market }}
`
    const example = expecting(`SELECT sum(b.quantity) FROM commerce.order_items b, commerce.orders a
      WHERE a.order_id = b.order_id AND a.market = 'ID' AND a.status = 'paid' AND b.quantity > 0`)
    expect(best(text, example)).toBe(`${text}  AND o.status = 'paid'\n  AND i.quantity > 0\n`)
  })

  it('adds a join that is missing', () => {
    const text = 'SELECT count(*) AS n\nFROM commerce.orders o\nWHERE o.market = {{ market }}\n'
    const good = text.replace(
      'WHERE',
      'JOIN crm.accounts a ON a.account_id = o.account_id AND a.is_active\nWHERE',
    )
    expect(best(text, exampleOf(good, november))).toBe(good)
    expect(best(good, exampleOf(text, november))).toBe(text)
  })

  it('lists a table that is missing in a list of tables', () => {
    const listed = `SELECT sum(o.net) AS net
FROM orders o, visits v, shops s
WHERE o.visit = v.id AND v.shop = s.id AND s.market = {{ market }}
`
    expect(best(listed.replace(', visits v', ''), exampleOf(listed, november))).toContain(
      'FROM orders o, visits v, shops s',
    )
  })

  it('leaves a bare column of a join bare, rather than guess its table', () => {
    const text = `SELECT sum(i.quantity) AS units
FROM commerce.orders o
JOIN commerce.order_items i ON i.order_id = o.order_id
WHERE o.market = {{ market }}
`
    const example = expecting(`SELECT sum(quantity) FROM commerce.orders o JOIN commerce.order_items i
      ON i.order_id = o.order_id WHERE market = 'ID' AND status = 'paid' AND i.quantity > 0`)
    expect(best(text, example)).toBe(`${text}  AND status = 'paid'\n  AND i.quantity > 0\n`)
  })

  it('changes the columns of USING', () => {
    const text = 'SELECT count(*) AS n FROM a JOIN b USING (client_id) WHERE a.market = {{ market }}'
    const example = expecting(
      "SELECT count(*) AS n FROM a JOIN b ON a.account_id = b.account_id WHERE a.market = 'ID'",
    )
    expect(best(text, example)).toBe(text.replace('client_id', 'account_id'))
  })

  it('turns two bounds of an expected query into the snippet’s BETWEEN', () => {
    const text = 'SELECT count(*) AS n FROM v WHERE created BETWEEN {{ period.start }} AND {{ period.end }}'
    const example = expecting(
      "SELECT count(*) AS n FROM v WHERE paid <= DATE '2025-11-30' AND paid >= DATE '2025-11-01'",
    )
    expect(best(text, example)).toBe(text.replace('created', 'paid'))
  })

  it('drops a bound of BETWEEN that is not meant', () => {
    const text = 'SELECT count(*) AS n FROM v WHERE day BETWEEN {{ period.start }} AND {{ period.end }}'
    const example = expecting("SELECT count(*) AS n FROM v WHERE day <= DATE '2025-11-30'")
    expect(best(text, example)).toBe('SELECT count(*) AS n FROM v WHERE day <= {{ period.end }}')
  })

  it('changes a set operation and an arm of it', () => {
    const text = `SELECT id FROM a WHERE market = {{ market }} UNION SELECT id FROM b WHERE market = {{ market }}`
    const good = `SELECT id FROM a WHERE market = {{ market }} UNION ALL SELECT id FROM b WHERE market = {{ market }} AND c`
    expect(best(text, exampleOf(good, november))).toBe(good)
  })

  it('reaches into a sub-query of a condition', () => {
    const text = 'SELECT count(*) AS n FROM o WHERE o.id IN (SELECT id FROM paid) AND o.market = {{ market }}'
    const good = text.replace('FROM paid', 'FROM paid WHERE NOT test')
    expect(best(text, exampleOf(good, november))).toBe(good)
  })
})
