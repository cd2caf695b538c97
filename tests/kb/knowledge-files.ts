import type { KnowledgeBase, Metric } from '../../src/kb/entry.js'
import { parseKnowledgeBase } from '../../src/kb/parse.js'
import { createSnapshot, type Snapshot } from '../../src/snapshot/snapshot.js'

export function snapshotOf(files: Readonly<Record<string, string | Uint8Array>>): Snapshot {
  const bytes = Object.entries(files).map(([path, content]): [string, Uint8Array] => [
    path,
    typeof content === 'string' ? new TextEncoder().encode(content) : content,
  ])
  return createSnapshot(new Map(bytes))
}

export function parseFiles(files: Readonly<Record<string, string | Uint8Array>>): KnowledgeBase {
  return parseKnowledgeBase(snapshotOf(files), 'kb')
}

const market = 'market: { type: enum, values: { ID: [Indonesia], TH: [Thailand], IN: [India], MY: [] } }'
const period = 'period: { type: date_range }'
const range = 'day BETWEEN {{ period.start }} AND {{ period.end }}'

/** A small shop: every parameter kind, a default of each, aliases that overlap. */
export const shop: Readonly<Record<string, string>> = {
  'kb/metrics/dau.yaml': `metric: dau
title: Daily active users
aliases: [DAU, daily active users]
snippet: dau.sql
parameters:
  ${market}
  ${period}
`,
  'kb/snippets/dau.sql': `SELECT avg(a1) FROM visits WHERE ${range} AND market = {{ market }}`,
  'kb/metrics/gmv.yaml': `metric: gmv
aliases: [GMV, gross merchandise value]
snippet: gmv.sql
parameters:
  ${market}
  ${period}
  by:
    type: choice
    default: total
    values:
      total: { sql: "'all'" }
      device: { sql: device_type, aliases: [by device, per device] }
      month: { sql: "date_trunc('month', day)", aliases: [by month] }
`,
  'kb/snippets/gmv.sql': `SELECT {{ by }}, sum(gmv) FROM orders WHERE ${range} AND market = {{ market }} GROUP BY 1`,
  'kb/metrics/gross-margin.yaml': `metric: gross_margin
aliases: [gross merchandise value margin]
snippet: gross-margin.sql
`,
  'kb/snippets/gross-margin.sql': 'SELECT sum(margin) FROM orders',
  'kb/metrics/products.yaml': `metric: products
aliases: [products, best sellers]
snippet: products.sql
parameters:
  market: { type: enum, values: [ID, TH], default: ID }
  ${period}
  n: { type: number, words: [top, first], default: 10 }
`,
  'kb/snippets/products.sql': `SELECT name FROM items WHERE ${range} AND market = {{ market }} LIMIT {{ n }}`,
  'kb/notes/conventions.md': '# Conventions\n',
}

export function metricNamed(kb: KnowledgeBase, name: string): Metric {
  const metric = kb.metrics.find((each) => each.name === name)
  if (metric === undefined) throw new Error(`no metric ${name}`)
  return metric
}
