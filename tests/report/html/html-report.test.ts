import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { htmlReport } from '../../../src/report/html/html-report.js'
import type { HistoryPoint } from '../../../src/report/html/page-data.js'
import type { CaseRecord, RunDetail } from '../../../src/store/record-types.js'
import { unprintable } from '../../../src/text/unprintable.js'
import { needing } from '../../needs.js'
import { caseRecord, detail, failingCase, failingSample, hostileDetail, run } from '../fixtures.js'

const folder = mkdtempSync(join(tmpdir(), 'autotest-report-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const point = (id: string, day: number, passed: number): HistoryPoint => ({
  id,
  startedAt: `2026-11-${String(day).padStart(2, '0')}T10:00:00.000Z`,
  total: 5,
  counts: { passed, repaired: 0, failed: 5 - passed, unproven: 0, errored: 0, skipped: 0, pending: 0 },
})
const before: RunDetail = {
  ...detail,
  run: { ...run, id: 'r-0001', startedAt: '2026-11-19T10:00:00.000Z' },
  cases: detail.cases.map((record) =>
    record.caseId === failingCase.caseId ? { ...record, outcome: 'passed' } : record,
  ),
}
const history = { runs: [point('r-0000', 18, 3), point('r-0001', 19, 5), point(run.id, 20, 4)], before }

/** As many cases as a large benchmark has: every tenth is wrong, and each has queries of its own. */
function manyCases(count: number): RunDetail {
  const sql = (at: number, filter: string) =>
    `SELECT market, month, sum(amount - discount_${at % 37}) AS gmv_${at}\nFROM commerce.orders_v${at % 5}\nJOIN commerce.markets USING (market_id)\nWHERE day BETWEEN DATE '2025-${String((at % 12) + 1).padStart(2, '0')}-01' AND DATE '2025-12-31'\n  AND ${filter}\n  AND customer_id <> ${at * 7919}\nGROUP BY market, month\nORDER BY market, month`
  const cases = Array.from({ length: count }, (_, at): CaseRecord => {
    const sample = { answer: sql(at, `status = 'paid'`), expected: sql(at, `status = 'paid'`) }
    const question = `GMV ${at} of market ${at % 50} in month ${(at % 12) + 1} of 2025, without discounts of kind ${at % 37}`
    const changes = { position: at, question, tags: [`tag${at % 20}`], line: 10 + at * 8 }
    return at % 10 === 0
      ? caseRecord(`case_${at}`, {
          ...failingCase,
          ...changes,
          caseId: `case_${at}`,
          sample: { ...failingSample, ...sample, answer: sql(at, `status <> 'open'`) },
        })
      : caseRecord(`case_${at}`, { ...changes, sample: { ...caseRecord('').sample, ...sample } })
  })
  return { ...detail, run: { ...run, total: count }, cases, attempts: [] }
}

/** Returns the data that a page holds. */
function dataIn(html: string) {
  const packed = /<script id="data" type="application\/gzip">([^<]*)<\/script>/.exec(html)?.[1] ?? ''
  return JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString())
}

describe('the HTML report', () => {
  it('holds program, style and data, and may load nothing', () => {
    const html = htmlReport(detail, history)
    expect(html).toMatch(
      /content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'/,
    )
    // A link leads to a case of the page itself, and nowhere else.
    expect(html.match(/\b(?:src|href)=(?!\$\{`#)/g)).toBeNull()
    expect(dataIn(html)).toMatchObject({
      run: { id: run.id },
      compared: { id: 'r-0001', broken: 1, fixed: 0 },
      history: [{ id: 'r-0000' }, { id: 'r-0001' }, { id: run.id }],
    })
  })

  it('is at most 3 MB for 10,000 cases', () => {
    expect(htmlReport(manyCases(10_000), history).length).toBeLessThan(3_000_000)
  })

  it('shows no character that hides or turns others', () => {
    const shown = JSON.stringify(dataIn(htmlReport(hostileDetail, { runs: [] })))
    expect(shown.match(unprintable)).toBeNull()
    expect(shown).not.toMatch(/\\u00[01]/)
  })
})

const browserPath = (() => {
  try {
    return execFileSync(
      'sh',
      ['-c', 'command -v chromium || command -v google-chrome || command -v chromium-browser'],
      {
        encoding: 'utf8',
      },
    ).trim()
  } catch {
    return undefined
  }
})()

const needsBrowser = needing(
  'the HTML report in a browser',
  browserPath === undefined ? 'chromium is not installed' : undefined,
)

describe('the HTML report in a browser', { ...needsBrowser, timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: browserPath ?? '',
      args: ['--no-sandbox', '--disable-gpu'],
    })
  }, 60_000)
  afterAll(() => browser?.close())

  async function open(html: string, colorScheme: 'light' | 'dark' = 'light') {
    const file = join(folder, `${Math.random().toString(36).slice(2)}.html`)
    writeFileSync(file, html)
    const page = await browser.newPage({ colorScheme, viewport: { width: 1100, height: 900 } })
    const problems: string[] = []
    const requests: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    page.on('request', (request) => requests.push(request.url()))
    await page.goto(pathToFileURL(file).href)
    await page.getByRole('heading', { name: 'Cases' }).waitFor()
    return { page, problems, requests, address: pathToFileURL(file).href }
  }

  async function paintedAfter(html: string): Promise<number> {
    const { page } = await open(html)
    let milliseconds: number | undefined
    // An empty page may be asked before it is painted.
    await expect
      .poll(async () => {
        milliseconds = await page.evaluate(
          () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
        )
        return milliseconds
      })
      .toBeGreaterThan(0)
    await page.close()
    return milliseconds ?? Number.NaN
  }

  it('asks for nothing, and finds no fault of its own', async () => {
    const { page, problems, requests, address } = await open(htmlReport(detail, history))
    expect([problems, requests]).toEqual([[], [address]])
    expect(await page.locator('.chart circle').count()).toBe(3)
    await page.close()
  })

  it('filters, searches, and shows a case with its differences by the keyboard alone', async () => {
    const { page } = await open(htmlReport(detail, history))
    const status = page.locator('section p[role=status]')
    await expect.poll(() => status.textContent()).toMatch(/^3 of 5 cases/)
    await page.getByRole('button', { name: /^All/ }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => status.textContent()).toMatch(/^5 of 5 cases/)
    await page.getByLabel('Search').fill('dau november')
    await expect.poll(() => status.textContent()).toMatch(/^1 of 5 cases/)
    const line = page.locator('.cases summary')
    expect(await line.textContent()).toMatch(/failed\s*dau_id_monthly.*before: passed/)
    await line.focus()
    await page.keyboard.press('Enter')
    const shown = page.locator('.cases .detail')
    await shown.waitFor()
    expect(await shown.textContent()).toMatch(/knowledge used\s*metric:dau/)
    expect(await shown.locator('.sides mark').count()).toBeGreaterThan(0)
    expect(await shown.locator('td.differs').allTextContents()).toEqual(['474.97', '949.93 (+474.96)'])
    // The reason stands there once; what is marked of two queries has tests of its own.
    expect((await shown.textContent())?.split("tz_type = 'local'").length).toBe(2)
    expect(page.url()).toContain('case=dau_id_monthly')
    await page.getByLabel('Search').fill('')
    await page.getByRole('button', { name: 'Show these' }).click()
    await expect.poll(() => status.textContent()).toMatch(/^1 of 5 cases/)
    await page.close()
  })

  it('what needs a person comes first, its address opens the case, and a closed line says why', async () => {
    const { page, address } = await open(htmlReport(detail, history))
    const headings = await page.locator('h2').allTextContents()
    expect(headings.indexOf('Needs a person')).toBeLessThan(headings.indexOf('Repairs'))
    expect(await page.locator('.verdict').textContent()).toMatch(/cases? needs? a person/)
    expect(await page.locator('.person li').first().textContent()).toMatch(/autotest --id/)
    expect(await page.locator('.cases .why').count()).toBeGreaterThan(0)
    const other = await browser.newPage()
    await other.goto(`${address}#filter=all&search=&case=dau_id_monthly`)
    await other.locator('.cases .detail').waitFor()
    expect(await other.locator('.cases details[open] code').first().textContent()).toBe('dau_id_monthly')
    await other.getByLabel('Group by').selectOption('file')
    expect(await other.locator('.cases .group').count()).toBeGreaterThan(0)
    await Promise.all([page.close(), other.close()])
  })

  it.each(['light', 'dark'] as const)(
    'the trend has colour, and its points are inside, %s',
    async (scheme) => {
      const { page } = await open(htmlReport(detail, history), scheme)
      const box = await page.locator('.chart svg').boundingBox()
      for (const point of await page.locator('.chart circle').all()) {
        const at = await point.boundingBox()
        expect((at?.x ?? 0) + (at?.width ?? 0)).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0))
        expect(await point.locator('title').textContent()).toMatch(
          /^r-\w+, 2026-11-\d\d 10:00: \d of 5 right$/,
        )
      }
      const color = await page.evaluate("getComputedStyle(document.querySelector('.chart polyline')).stroke")
      expect(color).toBe(scheme === 'light' ? 'rgb(26, 127, 55)' : 'rgb(74, 194, 107)')
      await page.close()
    },
  )

  it('a phone is not scrolled sideways, and shows the columns that differ', async () => {
    const { page } = await open(htmlReport(detail, history))
    await page.setViewportSize({ width: 375, height: 700 })
    await page.getByRole('button', { name: /^All/ }).click()
    for (const summary of await page.locator('summary').all()) await summary.click()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
    expect(await page.locator('td.differs').first().isVisible()).toBe(true)
    await page.close()
  })

  it('shows a repair with its diff and evidence', async () => {
    const { page } = await open(htmlReport(detail, history))
    const repair = page.locator('details.repair').first()
    await repair.locator('summary').click()
    expect(await repair.textContent()).toMatch(
      /orders_v1 was replaced by orders[\s\S]*evidence E2[\s\S]*twins 6 of 6/,
    )
    expect(await repair.locator('.diff .added').count()).toBeGreaterThan(0)
    await page.close()
  })

  it.each(['light', 'dark'] as const)('has no finding of axe-core, %s', async (scheme) => {
    const { page } = await open(htmlReport(detail, history), scheme)
    await page.getByRole('button', { name: /^All/ }).click()
    for (const summary of await page.locator('summary').all()) await summary.click()
    // By its debugger: the page's policy lets nothing in.
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
    const { violations } = (await page.evaluate('axe.run()')) as {
      violations: { id: string }[]
    }
    expect(violations.map(({ id }) => id)).toEqual([])
    await page.close()
  })

  it('10,000 cases: painted soon, searched without lag', async () => {
    const html = htmlReport(manyCases(10_000), history)
    const { page } = await open(html)
    // The best of several in turn: other tests run beside this one.
    const times = 4
    const paints: { of10000: number; ofNone: number }[] = []
    for (let time = 0; time < times; time++) {
      paints.push({
        of10000: await paintedAfter(html),
        ofNone: await paintedAfter('<!doctype html><title>x</title><h2>Cases</h2>'),
      })
    }
    expect(Math.min(...paints.map(({ of10000 }) => of10000))).toBeLessThan(
      5 * Math.min(...paints.map(({ ofNone }) => ofNone)),
    )
    await page.getByRole('button', { name: /^All/ }).click()
    const status = page.locator('section p[role=status]')
    const searches: number[] = []
    for (let time = 0; time < times; time++) {
      const began = Date.now()
      await page.getByLabel('Search').fill(`case_471${time}`)
      await expect.poll(() => status.textContent(), { interval: 20 }).toMatch(/^1 of 10000 cases/)
      searches.push(Date.now() - began)
      await page.getByLabel('Search').fill('')
      await expect.poll(() => status.textContent(), { interval: 20 }).toMatch(/^10000 of 10000 cases/)
    }
    expect(Math.min(...searches)).toBeLessThan(1000)
    await page.keyboard.press('End')
    await page.mouse.wheel(0, 100_000)
    await expect.poll(() => page.locator('.cases > li').count()).toBeGreaterThan(100)
    await page.close()
  })
})
