/** Snippets of different shape, each with faults as knowledge bases have them: a piece of text and what it drifted to. */
export interface Fault {
  readonly kind: string
  readonly good: string
  readonly broken: string
}

export interface FaultySnippet {
  readonly name: string
  readonly text: string
  readonly faults: readonly Fault[]
}

function fault(kind: string, good: string, broken: string): Fault {
  return { kind, good, broken }
}

export const faultySnippets: readonly FaultySnippet[] = [
  {
    name: 'dau',
    text: `-- a1: accounts active on the day itself
SELECT grass_region, substr(cast(grass_date AS varchar), 1, 7) AS period, avg(a1) AS dau
FROM traffic.active_v5
WHERE grass_date BETWEEN {{ period.start }} AND {{ period.end }}
  AND tz_type = 'local'
  AND grass_region = {{ market }}
GROUP BY 1, 2
ORDER BY 2 DESC
`,
    faults: [
      fault('stale table', 'active_v5', 'active_v4'),
      fault('stale column', 'avg(a1)', 'avg(active_users)'),
      fault('missing filter', "  AND tz_type = 'local'\n", ''),
      fault('missing filter', '  AND grass_region = {{ market }}\n', ''),
      fault(
        'missing filter',
        "WHERE grass_date BETWEEN {{ period.start }} AND {{ period.end }}\n  AND tz_type = 'local'",
        "WHERE tz_type = 'local'",
      ),
      fault('wrong literal', "'local'", "'locals'"),
      fault('aggregation', 'avg(a1)', 'sum(a1)'),
      fault(
        'aggregation',
        'substr(cast(grass_date AS varchar), 1, 7)',
        'substr(cast(grass_date AS varchar), 1, 4)',
      ),
      fault('hard-coded parameter', '{{ market }}', "'ID'"),
      fault('hard-coded parameter', '{{ period.end }}', "DATE '2025-11-30'"),
      fault('dropped grouping', 'GROUP BY 1, 2\n', 'GROUP BY 1\n'),
      fault('order direction', 'ORDER BY 2 DESC', 'ORDER BY 2'),
      fault('order direction', 'ORDER BY 2 DESC\n', ''),
      fault('extra filter', 'GROUP BY 1, 2', '  AND is_mobile\nGROUP BY 1, 2'),
      fault(
        'boundary',
        'grass_date BETWEEN {{ period.start }} AND {{ period.end }}',
        'grass_date >= {{ period.start }} AND grass_date < {{ period.end }}',
      ),
    ],
  },
  {
    name: 'gmv',
    text: `select grass_region, sum(gmv) as gmv from commerce.order_metrics where grass_date between {{ period.start }} and {{ period.end }} and tz_type = 'local' and grass_region = {{ market }} group by 1 order by 2 desc`,
    faults: [
      fault('stale table', 'order_metrics', 'order_metrics_old'),
      fault('stale column', 'sum(gmv)', 'sum(gross_gmv)'),
      fault('missing filter', "tz_type = 'local' and ", ''),
      fault('missing filter', ' and grass_region = {{ market }}', ''),
      fault('missing filter', 'grass_date between {{ period.start }} and {{ period.end }} and ', ''),
      fault('wrong literal', "'local'", "'global'"),
      fault('aggregation', 'sum(gmv)', 'avg(gmv)'),
      fault('hard-coded parameter', '{{ market }}', "'TH'"),
      fault('time column', 'grass_date between', 'created_date between'),
      fault('order direction', ' order by 2 desc', ' order by 2 asc'),
      fault('dropped grouping', ' group by 1', ''),
      fault('extra filter', ' group by 1', ' and gmv > 0 group by 1'),
    ],
  },
  {
    name: 'organic_clicks',
    text: `SELECT
  platform,
  -- organic only: ads report theirs elsewhere
  sum(organic_clicks) AS clicks,
  sum(organic_impressions) AS impressions
FROM search.daily_stats
WHERE
  market = {{ market }}
  AND app = 'shop_ios' -- the tablet app counts apart
  AND report_date >= {{ period.start }}
  AND report_date < {{ period.end_exclusive }}
GROUP BY platform
`,
    faults: [
      fault('sibling column', 'sum(organic_impressions)', 'sum(sponsored_impressions)'),
      fault('sibling column', 'sum(organic_clicks)', 'sum(sponsored_clicks)'),
      fault('wrong scope', "app = 'shop_ios'", 'is_mobile'),
      fault('missing filter', "  AND app = 'shop_ios' -- the tablet app counts apart\n", ''),
      fault('missing filter', 'market = {{ market }}\n  AND ', ''),
      fault(
        'boundary',
        'report_date < {{ period.end_exclusive }}',
        'report_date <= {{ period.end_exclusive }}',
      ),
      fault('boundary', 'report_date < {{ period.end_exclusive }}', 'report_date <= {{ period.end }}'),
      fault('dropped grouping', '  platform,\n', ''),
      fault('dropped grouping', 'GROUP BY platform\n', ''),
      fault('dropped column', ',\n  sum(organic_impressions) AS impressions', ''),
      fault('stale table', 'search.daily_stats', 'search.daily_stats_v1'),
      fault('wrong literal', "'shop_ios'", "'shop_io'"),
    ],
  },
  {
    name: 'top_sites',
    text: `SELECT site, count(DISTINCT visitor_id) AS visitors
FROM traffic.visits
WHERE market = {{ market }}
  AND (source = 'direct' OR source = 'search' OR source = 'social')
  AND NOT is_bot
GROUP BY site
HAVING count(*) >= 10
ORDER BY visitors DESC, site
LIMIT {{ n }}
`,
    faults: [
      fault(
        'logic',
        "(source = 'direct' OR source = 'search' OR source = 'social')",
        "(source = 'direct' OR source = 'search') AND source = 'social'",
      ),
      fault('logic', "source = 'search' OR source = 'social'", "source = 'search' AND source = 'social'"),
      fault('dropped distinct', 'count(DISTINCT visitor_id)', 'count(visitor_id)'),
      fault('dropped limit', 'LIMIT {{ n }}\n', ''),
      fault('hard-coded parameter', 'LIMIT {{ n }}', 'LIMIT 5'),
      fault('order direction', 'visitors DESC', 'visitors ASC'),
      fault('order direction', 'ORDER BY visitors DESC, site\n', ''),
      fault('missing filter', '  AND NOT is_bot\n', ''),
      fault('missing filter', 'HAVING count(*) >= 10\n', ''),
      fault('boundary', 'count(*) >= 10', 'count(*) > 10'),
      fault('stale column', 'visitor_id', 'account_id'),
      fault('wrong literal', "'social'", "'socials'"),
    ],
  },
  {
    name: 'inactive_shops',
    text: `select count(*) as shops from seller.shops s where s.market = {{ market }} and coalesce(s.orders_30d, 0) = 0 and (s.status = 'open' or s.status = 'paused')`,
    faults: [
      fault('null handling', 'coalesce(s.orders_30d, 0) = 0', 's.orders_30d = 0'),
      fault(
        'logic',
        "(s.status = 'open' or s.status = 'paused')",
        "s.status = 'open' and s.status = 'paused'",
      ),
      fault('missing filter', " and (s.status = 'open' or s.status = 'paused')", ''),
      fault('missing filter', 's.market = {{ market }} and ', ''),
      fault('wrong scope', "(s.status = 'open' or s.status = 'paused')", 's.is_visible'),
      fault('stale table', 'seller.shops s', 'seller.shop_list s'),
      fault('wrong literal', "'paused'", "'pause'"),
    ],
  },
  {
    name: 'refunds',
    text: `-- the ledger keeps cents
SELECT sum(r.amount_cents) / 100.0 AS refunded
FROM commerce.refunds r
JOIN commerce.orders o ON o.order_id = r.order_id
WHERE o.market = {{ market }}
  AND r.status = 'approved'
  AND r.refunded_at >= {{ period.start }}
  AND r.refunded_at < {{ period.end_exclusive }}
`,
    faults: [
      fault('unit', 'sum(r.amount_cents) / 100.0', 'sum(r.amount_cents)'),
      fault('join key', 'o.order_id = r.order_id', 'o.client_id = r.order_id'),
      fault('join key', 'ON o.order_id = r.order_id', 'ON o.account_id = r.account_id'),
      fault(
        'time column',
        'r.refunded_at >= {{ period.start }}\n  AND r.refunded_at <',
        'o.paid_at >= {{ period.start }}\n  AND o.paid_at <',
      ),
      fault('boundary', 'r.refunded_at <', 'r.refunded_at <='),
      fault('stale column', 'r.amount_cents', 'r.amount'),
      fault('stale table', 'commerce.refunds r', 'commerce.refunds_v1 r'),
      fault('missing filter', "  AND r.status = 'approved'\n", ''),
      fault('missing filter', 'WHERE o.market = {{ market }}\n  AND r.status', 'WHERE r.status'),
      fault('wrong literal', "'approved'", "'paid'"),
    ],
  },
  {
    name: 'basket_items',
    text: `WITH baskets AS (
  SELECT o.order_id, sum(i.quantity) AS items
  FROM commerce.orders o
  JOIN commerce.order_items i ON i.order_id = o.order_id
  WHERE o.market = {{ market }}
    AND o.status = 'completed'
    AND o.created_at >= {{ period.start }}
    AND o.created_at < {{ period.end_exclusive }}
  GROUP BY o.order_id
)
SELECT avg(items) AS items_per_order
FROM baskets
`,
    faults: [
      fault('missing filter', "    AND o.status = 'completed'\n", ''),
      fault('missing filter', 'o.market = {{ market }}\n    AND ', ''),
      fault('aggregation', 'avg(items)', 'sum(items)'),
      fault('aggregation', 'sum(i.quantity)', 'count(i.quantity)'),
      fault('sibling column', 'i.quantity', 'i.returned_quantity'),
      fault('join key', 'i.order_id = o.order_id', 'i.order_item_id = o.order_id'),
      fault(
        'time column',
        'o.created_at >= {{ period.start }}\n    AND o.created_at <',
        'o.paid_at >= {{ period.start }}\n    AND o.paid_at <',
      ),
      fault('hard-coded parameter', '{{ market }}', "'ID'"),
      fault('stale table', 'commerce.order_items i', 'commerce.order_lines i'),
      fault('extra filter', '  GROUP BY o.order_id', '    AND i.quantity > 1\n  GROUP BY o.order_id'),
    ],
  },
  {
    name: 'roas',
    text: `SELECT sum(attributed_revenue) / sum(cost) AS roas
FROM ads.campaign_daily
WHERE market = {{ market }} AND is_house = FALSE AND report_date BETWEEN {{ period.start }} AND {{ period.end }}
`,
    faults: [
      fault('ratio', 'sum(attributed_revenue) / sum(cost)', 'avg(attributed_revenue / cost)'),
      fault('sibling column', 'attributed_revenue', 'direct_revenue'),
      fault('missing filter', 'is_house = FALSE AND ', ''),
      fault('missing filter', 'market = {{ market }} AND ', ''),
      fault('missing filter', ' AND report_date BETWEEN {{ period.start }} AND {{ period.end }}', ''),
      fault(
        'boundary',
        'report_date BETWEEN {{ period.start }} AND {{ period.end }}',
        'report_date BETWEEN {{ period.start }} AND {{ period.end_exclusive }}',
      ),
      fault('time column', 'report_date BETWEEN', 'billing_date BETWEEN'),
      fault('wrong scope', 'is_house = FALSE', 'is_paid'),
    ],
  },
  {
    name: 'shipped_rate',
    text: `select 100.0 * sum(case when status = 'shipped' then 1 else 0 end) / count(*) as shipped_rate
from commerce.orders
where market = {{ market }}
    and is_test = false
    and paid_at >= {{ period.start }}
    and paid_at < {{ period.end_exclusive }}`,
    faults: [
      fault(
        'ratio',
        "100.0 * sum(case when status = 'shipped' then 1 else 0 end) / count(*)",
        "100.0 * avg(case when status = 'shipped' then 1 else 0 end)",
      ),
      fault('unit', '100.0 * sum', 'sum'),
      fault('wrong literal', "'shipped'", "'shiped'"),
      fault(
        'time column',
        'paid_at >= {{ period.start }}\n    and paid_at <',
        'created_at >= {{ period.start }}\n    and created_at <',
      ),
      fault('missing filter', '    and is_test = false\n', ''),
      fault('null handling', 'else 0 end', 'end'),
      fault('extra filter', 'where market', "where status <> 'cancelled' and market"),
    ],
  },
  {
    name: 'conversion_rate',
    text: `-- LEFT JOIN: visits without an order are the denominator
SELECT 100.0 * count(DISTINCT o.visit_id) / count(DISTINCT v.visit_id) AS conversion_rate
FROM traffic.visits v
LEFT JOIN commerce.orders o ON o.visit_id = v.visit_id AND o.is_test = FALSE
WHERE v.market = {{ market }}
  AND NOT v.is_bot
  AND v.started_at >= {{ period.start }}
  AND v.started_at < {{ period.end_exclusive }}
`,
    faults: [
      fault('missing filter', ' AND o.is_test = FALSE', ''),
      fault('missing filter', '  AND NOT v.is_bot\n', ''),
      fault('join kind', 'LEFT JOIN commerce', 'JOIN commerce'),
      fault('join key', 'o.visit_id = v.visit_id', 'o.visit_id = v.session_id'),
      fault('dropped distinct', 'count(DISTINCT o.visit_id)', 'count(o.visit_id)'),
      fault('logic', 'NOT v.is_bot', 'v.is_bot'),
      fault(
        'wrong scope',
        ' AND o.is_test = FALSE\nWHERE v.market',
        '\nWHERE o.is_test = FALSE AND v.market',
      ),
    ],
  },
  {
    name: 'refund_rate',
    text: `SELECT 100.0 * count(r.order_id) / count(*) AS refund_rate
FROM commerce.orders o
LEFT JOIN (
  SELECT DISTINCT order_id
  FROM commerce.refunds
  WHERE status = 'approved'
) AS r ON r.order_id = o.order_id
WHERE o.market = {{ market }}
  AND o.paid_at >= {{ period.start }}
  AND o.paid_at < {{ period.end_exclusive }}
`,
    faults: [
      fault(
        'fan-out',
        "LEFT JOIN (\n  SELECT DISTINCT order_id\n  FROM commerce.refunds\n  WHERE status = 'approved'\n) AS r ON",
        'LEFT JOIN commerce.refunds r ON',
      ),
      fault('dropped distinct', 'SELECT DISTINCT order_id', 'SELECT order_id'),
      fault('missing filter', "\n  WHERE status = 'approved'", ''),
      fault('join kind', 'LEFT JOIN (', 'INNER JOIN ('),
      fault(
        'time column',
        'o.paid_at >= {{ period.start }}\n  AND o.paid_at <',
        'o.created_at >= {{ period.start }}\n  AND o.created_at <',
      ),
    ],
  },
  {
    name: 'order_value',
    text: `SELECT o.channel, sum(o.amount) / count(*) AS order_value
FROM commerce.orders AS o
INNER JOIN (
  SELECT order_id, sum(quantity) AS pieces FROM commerce.order_items GROUP BY order_id
) AS p ON p.order_id = o.order_id
WHERE o.market = {{ market }} AND p.pieces > 0
GROUP BY o.channel
`,
    faults: [
      fault(
        'fan-out',
        'INNER JOIN (\n  SELECT order_id, sum(quantity) AS pieces FROM commerce.order_items GROUP BY order_id\n) AS p ON',
        'INNER JOIN commerce.order_items AS p ON',
      ),
      fault('ratio', 'sum(o.amount) / count(*)', 'avg(o.amount / p.pieces)'),
      fault('dropped grouping', ' GROUP BY order_id\n', '\n'),
      fault('unit', 'sum(o.amount) / count(*)', 'sum(o.amount)'),
      fault('aggregation', 'sum(quantity)', 'max(quantity)'),
      fault('sibling column', 'o.amount', 'o.list_amount'),
    ],
  },
  {
    name: 'customers_by_country',
    text: `select distinct c.country,
       c.segment
from crm.customers c
    inner join crm.accounts a on a.account_id = c.account_id and a.closed_at is null
where c.market = {{ market }}
order by c.country, c.segment
limit {{ n }}`,
    faults: [
      fault('dropped distinct', 'select distinct', 'select'),
      fault('dropped limit', '\nlimit {{ n }}', ''),
      fault('dropped column', 'c.country,\n       c.segment\n', 'c.country\n'),
      fault('missing filter', ' and a.closed_at is null', ''),
      fault('missing filter', 'where c.market = {{ market }}\n', ''),
      fault('join key', 'a.account_id = c.account_id', 'a.client_id = c.account_id'),
      fault('null handling', 'a.closed_at is null', 'a.closed_at is not null'),
      fault('order direction', 'order by c.country, c.segment', 'order by c.country, c.segment desc'),
    ],
  },
  {
    name: 'active_days',
    text: `SELECT AVG(daily) AS active_daily
FROM (
    SELECT grass_date, SUM(active) AS daily
    FROM traffic.main_v5
    WHERE grass_region = {{ market }} AND
          tz_type = 'local' AND
          grass_date BETWEEN {{ period.start }} AND {{ period.end }}
    GROUP BY grass_date
) t
`,
    faults: [
      fault('aggregation', 'AVG(daily)', 'SUM(daily)'),
      fault('stale table', 'main_v5', 'main_v4'),
      fault('missing filter', "          tz_type = 'local' AND\n", ''),
      fault('missing filter', 'grass_region = {{ market }} AND\n          ', ''),
      fault(
        'missing filter',
        ' AND\n          grass_date BETWEEN {{ period.start }} AND {{ period.end }}',
        '',
      ),
      fault('wrong literal', "'local'", "'utc'"),
      fault('sibling column', 'SUM(active)', 'SUM(new_active)'),
    ],
  },
  {
    name: 'new_buyers',
    text: `WITH first_orders AS (
  SELECT account_id, min(paid_at) AS first_paid
  FROM commerce.orders
  WHERE is_test = FALSE
  GROUP BY account_id
), in_market AS (
  SELECT account_id FROM crm.accounts WHERE market = {{ market }}
)
SELECT count(*) AS new_buyers
FROM first_orders f
JOIN in_market m USING (account_id)
WHERE f.first_paid >= {{ period.start }}
  AND f.first_paid < {{ period.end_exclusive }}
`,
    faults: [
      fault('missing filter', '  WHERE is_test = FALSE\n', ''),
      fault('missing filter', ' WHERE market = {{ market }}', ''),
      fault('missing filter', 'WHERE f.first_paid >= {{ period.start }}\n  AND f', 'WHERE f'),
      fault('aggregation', 'min(paid_at)', 'max(paid_at)'),
      fault('time column', 'min(paid_at)', 'min(created_at)'),
      fault('boundary', 'f.first_paid < ', 'f.first_paid <= '),
      fault('hard-coded parameter', '{{ market }}', "'TH'"),
    ],
  },
  {
    name: 'ranked_campaigns',
    text: `SELECT name, cost
FROM (
  SELECT c.name, sum(d.cost_cents) / 100.0 AS cost,
    row_number() OVER (PARTITION BY c.channel ORDER BY sum(d.cost_cents) DESC) AS place
  FROM ads.campaign_daily d, ads.campaigns c
  WHERE c.campaign_id = d.campaign_id
    AND d.market = {{ market }}
    AND d.report_date BETWEEN {{ period.start }} AND {{ period.end }}
  GROUP BY c.name, c.channel
) AS ranked
WHERE place <= {{ n }}
ORDER BY cost DESC
`,
    faults: [
      fault('unit', 'sum(d.cost_cents) / 100.0', 'sum(d.cost_cents)'),
      fault('hard-coded parameter', 'place <= {{ n }}', 'place <= 5'),
      fault('boundary', 'place <= {{ n }}', 'place < {{ n }}'),
      fault('order direction', 'ORDER BY sum(d.cost_cents) DESC', 'ORDER BY sum(d.cost_cents)'),
      fault('dropped grouping', 'PARTITION BY c.channel ', ''),
      fault('missing filter', '    AND d.market = {{ market }}\n', ''),
      fault('join key', 'c.campaign_id = d.campaign_id', 'c.campaign_group_id = d.campaign_id'),
    ],
  },
  {
    name: 'slices',
    text: `SELECT {{ by }} AS slice, count(*) AS orders
FROM commerce.orders
WHERE market = {{ market }}
  AND status IN ('paid', 'shipped', 'completed')
  AND paid_at >= {{ period.start }}
  AND paid_at < {{ period.end_exclusive }}
GROUP BY 1
ORDER BY 1
`,
    faults: [
      fault('wrong literal', "'completed'", "'complete'"),
      fault('wrong literal', "('paid', 'shipped', 'completed')", "('paid', 'shipped')"),
      fault('dropped grouping', 'GROUP BY 1\n', ''),
      fault('missing filter', "  AND status IN ('paid', 'shipped', 'completed')\n", ''),
      fault('aggregation', 'count(*)', 'count(DISTINCT account_id)'),
      fault(
        'time column',
        'paid_at >= {{ period.start }}\n  AND paid_at <',
        'created_at >= {{ period.start }}\n  AND created_at <',
      ),
    ],
  },
]

export function breakSnippet(text: string, { good, broken }: Fault): string {
  if (text.split(good).length !== 2) throw new Error(`"${good}" must stand exactly once`)
  return text.replace(good, () => broken)
}
