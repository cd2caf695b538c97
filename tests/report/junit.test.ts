import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import { junitReport } from '../../src/report/junit.js'
import type { RunDetail } from '../../src/store/record-types.js'
import { caseRecord, detail, hostileDetail, run } from './fixtures.js'

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly path: string
}

/** Elements in order, read by a strict XML parser that throws on the first mistake. */
function elementsOf(report: RunDetail): Element[] {
  const parser = new SaxesParser()
  const elements: Element[] = []
  const path: string[] = []
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    elements.push({ name, attributes, path: path.join('/') })
    path.push(name)
  })
  parser.on('closetag', () => path.pop())
  parser.write(junitReport(report)).close()
  return elements
}

describe('JUnit report', () => {
  it('has a suite for each first tag and counts what it holds', () => {
    const elements = elementsOf(detail)
    const suites = elements.filter(({ name }) => name === 'testsuite')
    expect(
      suites.map(({ attributes: { name, tests, failures, errors } }) => [name, tests, failures, errors]),
    ).toEqual([
      ['orders', '3', '0', '1'],
      ['traffic', '1', '1', '0'],
      ['ads', '1', '1', '0'],
    ])
    expect(elements[0]?.attributes).toMatchObject({ tests: '5', failures: '2', errors: '1' })
  })

  it('carries the real message of an error and the reason of a failure', () => {
    const elements = elementsOf(detail)
    expect(elements.find(({ name }) => name === 'error')?.attributes['message']).toBe(
      'suspect oracle: expected_sql fails: no column "refundd"',
    )
    expect(elements.find(({ name }) => name === 'failure')?.attributes['message']).toContain(
      "filter missing: tz_type = 'local'",
    )
  })

  it('stays well-formed with markup, CDATA ends, control characters and lone surrogates', () => {
    const elements = elementsOf(hostileDetail)
    expect(elements.filter(({ name }) => name === 'testcase')).toHaveLength(5)
    expect(elements.find(({ name }) => name === 'testcase')?.attributes['name']).toContain(
      '<script>alert("x")</script>',
    )
  })

  it('never looks green when the run ended before every case was asked', () => {
    const elements = elementsOf({
      run: { ...run, status: 'interrupted', total: 48 },
      cases: [caseRecord('a')],
      attempts: [],
    })
    expect(elements.find(({ name }) => name === 'error')?.attributes['message']).toBe(
      'the run is interrupted: 47 of 48 cases were not run',
    )
    expect(elements[0]?.attributes).toMatchObject({ tests: '2', errors: '1' })
  })

  it('counts a pending repair as a failure and a case left out as skipped', () => {
    const cases = [caseRecord('a', { outcome: 'pending' }), caseRecord('b', { outcome: 'skipped' })]
    const elements = elementsOf({ run: { ...run, total: 2 }, cases, attempts: [] })
    expect(elements[0]?.attributes).toMatchObject({ tests: '2', failures: '1', skipped: '1', errors: '0' })
  })
})
