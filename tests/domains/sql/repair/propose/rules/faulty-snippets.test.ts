import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { SnippetProposal } from '../../../../../../src/domains/sql/repair/propose/rules/snippet-proposals.js'
import { canonicalForm, loadSqlParser, type SqlParser } from '../../../../../../src/sql/index.js'
import { breakSnippet, type Fault, type FaultySnippet, faultySnippets } from './faulty-snippets.js'
import {
  changedLines,
  december,
  november,
  october,
  proposalsFor,
  type Question,
  render,
} from './snippet-examples.js'

let parser: SqlParser

beforeAll(async () => {
  parser = await loadSqlParser()
})

function propose(snippet: FaultySnippet, broken: string, questions: readonly Question[]): SnippetProposal[] {
  return proposalsFor(parser, snippet.name, [broken, snippet.text], questions)
}

function says(text: string, good: string, question: Question): boolean {
  const form = canonicalForm(parser, render(text, question), 'duckdb')
  return form !== undefined && form === canonicalForm(parser, render(good, question), 'duckdb')
}

/** A question that the fault makes fail: a value that was hard-coded is right for its own question. */
function failing({ text }: FaultySnippet, broken: string): Question {
  return [november, december].find((question) => !says(broken, text, question)) ?? november
}

const cases = faultySnippets.flatMap((snippet) =>
  snippet.faults.map((fault, index) => ({
    name: snippet.name,
    index: index + 1,
    kind: fault.kind,
    snippet,
    fault,
  })),
)

describe('one fault, one failing case', () => {
  it.each(cases)(
    '$kind in $name ($index) is repaired on its own lines, for other questions too',
    ({ snippet, fault }) => {
      const broken = breakSnippet(snippet.text, fault)
      const question = failing(snippet, broken)
      const [best, ...others] = propose(snippet, broken, [question])
      if (best === undefined) throw new Error('abstained')
      for (const proposal of [best, ...others]) expect(says(proposal.text, snippet.text, question)).toBe(true)
      expect(changedLines(broken, best.text)).toBeLessThanOrEqual(changedLines(snippet.text, broken))
      for (const other of [november, december, october])
        expect(says(best.text, snippet.text, other)).toBe(true)
    },
  )
})

describe('a snippet whose lines end in CR alone', () => {
  const plain = faultySnippets.filter(({ text }) => !text.includes('--'))
  const withCr = (text: string): string => text.replaceAll('\n', '\r')

  it.each(plain)('is repaired as the same one with LF is: $name', (snippet) => {
    for (const fault of snippet.faults) {
      const broken = breakSnippet(snippet.text, fault)
      const [repaired] = propose(snippet, broken, [november, december])
      const [other] = proposalsFor(
        parser,
        snippet.name,
        [withCr(broken), withCr(snippet.text)],
        [november, december],
      )
      expect(other?.text).toBe(repaired && withCr(repaired.text))
    }
  })
})

const pair = fc
  .constantFrom(...faultySnippets)
  .chain((snippet) =>
    fc.tuple(fc.constant(snippet), fc.constantFrom(...snippet.faults), fc.constantFrom(...snippet.faults)),
  )

/** Both faults, where the second can still happen after the first. */
function breakTwice(text: string, first: Fault, second: Fault): string {
  const once = breakSnippet(text, first)
  return once.split(second.good).length === 2 ? breakSnippet(once, second) : once
}

describe('any two faults', () => {
  it('are repaired from two cases so that a third passes, or not at all', () => {
    fc.assert(
      fc.property(pair, ([snippet, first, second]) => {
        const broken = breakTwice(snippet.text, first, second)
        const [best] = propose(snippet, broken, [november, december])
        if (best !== undefined) expect(says(best.text, snippet.text, october)).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  it('are repaired in nine of ten cases', () => {
    let [tried, repaired] = [0, 0]
    for (const snippet of faultySnippets) {
      for (const [index, first] of snippet.faults.entries()) {
        const second = snippet.faults[(index + 3) % snippet.faults.length]
        if (second === undefined) continue
        tried += 1
        const broken = breakTwice(snippet.text, first, second)
        if (propose(snippet, broken, [november, december]).length > 0) repaired += 1
      }
    }
    expect(repaired / tried).toBeGreaterThan(0.9)
  })
})
