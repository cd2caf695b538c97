import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadBenchmark } from '../../src/benchmark/load.js'
import { loadConfig } from '../../src/config/load.js'
import { sampleCases, sampleMetrics } from './sample-files.js'
import { samplePath, sampleRoot } from './sample-root.js'

describe('the sample', () => {
  it('asks at least 45 questions over traffic, orders, ads and support', () => {
    expect(sampleCases.length).toBeGreaterThanOrEqual(45)
    const areas = new Set(sampleCases.map(({ tags }) => tags[0]))
    expect(areas).toEqual(new Set(['ads', 'commerce', 'support', 'traffic']))
  })

  it('is what the configuration at the root names', async () => {
    const config = await loadConfig({ cwd: sampleRoot })
    expect(config).toMatchObject({
      kb: 'kb',
      engine: 'duckdb:data/shop.duckdb',
      fixture: 'data/shop.sql',
      agent: { kind: 'template' },
      asOf: '2025-12-31',
    })
    const { cases } = await loadBenchmark({ paths: config.benchmarks, cwd: config.root })
    expect(cases.map(({ id }) => id).toSorted()).toEqual(sampleCases.map(({ id }) => id).toSorted())
  })

  it('asks no question twice and uses no id twice', () => {
    const words = (question: string) => question.toLowerCase().replaceAll(/[^\p{L}\p{N} -]/gu, '')
    expect(new Set(sampleCases.map(({ question }) => words(question))).size).toBe(sampleCases.length)
    expect(new Set(sampleCases.map(({ id }) => id)).size).toBe(sampleCases.length)
  })

  it('tags every case with its area and its subject', () => {
    expect(sampleCases.filter(({ tags }) => tags.length < 2)).toEqual([])
  })

  it('defines at least 18 metrics, each with a snippet', () => {
    expect(sampleMetrics.size).toBeGreaterThanOrEqual(18)
    expect(
      [...sampleMetrics.keys()].filter((name) => !existsSync(samplePath(`kb/snippets/${name}.sql`))),
    ).toEqual([])
  })

  it('has parameters of every kind', () => {
    const text = [...sampleMetrics.values()].join('\n')
    for (const kind of ['enum', 'date_range', 'number', 'choice']) expect(text).toMatch(`type: ${kind}`)
  })

  it.each([
    {
      id: 'dau_id_monthly',
      question: 'ID market DAU in November 2025',
      tags: ['traffic', 'dau'],
      sql: "SELECT grass_region, substr(cast(grass_date as varchar), 1, 7) AS period, avg(a1) AS dau FROM traffic.shopee_traffic_dws_platform_active_churn_nd__reg_s0_live WHERE grass_date BETWEEN date '2025-11-01' AND date '2025-11-30' AND tz_type = 'local' AND grass_region = 'ID' GROUP BY 1, 2 ORDER BY 2 DESC\n",
    },
    {
      id: 'gmv_th_monthly',
      question: 'TH GMV in December 2025',
      tags: ['commerce', 'gmv'],
      sql: "SELECT grass_region, substr(cast(grass_date as varchar), 1, 7) AS period, sum(gmv) AS gmv FROM commerce.shopee_commerce_dws_order_metrics_nd__reg_s0_live WHERE grass_date BETWEEN date '2025-12-01' AND date '2025-12-31' AND tz_type = 'local' AND grass_region = 'TH' GROUP BY 1, 2 ORDER BY 2 DESC\n",
    },
  ])('has the case $id as it was first written', (written) => {
    expect(sampleCases.find(({ id }) => id === written.id)).toEqual(written)
  })
})
