import { describe, expect, it } from 'vitest'
import { commitMessage } from '../../src/app/run/commit-message.js'
import { quoted, safeCommitText } from '../../src/git/commit-text.js'
import type { AcceptedRepair } from '../../src/repair/model/repair-input.js'
import { failingCaseLines, needsPersonLines } from '../../src/report/console/failing-cases.js'
import { plainReport } from '../../src/report/console/plain-log.js'
import { lineageLines, planLines, rejectedLines, repairsLines } from '../../src/report/console/repairs.js'
import { githubAnnotations } from '../../src/report/github-annotations.js'
import { jsonReport } from '../../src/report/json.js'
import { junitReport } from '../../src/report/junit.js'
import { markdownReport } from '../../src/report/markdown.js'
import type { RunDetail } from '../../src/store/record-types.js'
import { withoutRunnerCommands } from '../../src/text/runner-commands.js'
import { attempt, detail, hostileDetail } from './fixtures.js'

// A check of its own, not the expression that the program uses.
const isUnsafe = (unit: number): boolean =>
  unit < 0x20 ||
  (unit >= 0x7f && unit <= 0x9f) ||
  [0xad, 0x61c, 0x180e, 0xfeff, 0x2028, 0x2029].includes(unit) ||
  (unit >= 0x200b && unit <= 0x200f) ||
  (unit >= 0x202a && unit <= 0x202e) ||
  (unit >= 0x2060 && unit <= 0x206f) ||
  (unit >= 0xe0000 && unit <= 0xe007f)

function unsafeIn(text: string, allowed = ''): string[] {
  return [...text]
    .filter((sign) => isUnsafe(sign.codePointAt(0) ?? 0) && !allowed.includes(sign))
    .map((sign) => `U+${sign.codePointAt(0)?.toString(16)}`)
}

const atoms = [
  ...[
    '\u001b[31m',
    '\u001b]8;;http://x\u0007',
    '\u0000',
    '\u0008',
    '\r',
    '\n',
    '\r\n',
    '\t',
    '\u0085',
    '\u2028',
    '\u2029',
  ],
  ...[
    '\u202e',
    '\u2066',
    '\u200f',
    '\u061c',
    '\u200b',
    '\u2060',
    '\ufeff',
    '\u00ad',
    '\u{e0041}',
    '\u{e007f}',
    '\ud800',
  ],
  ...['::error::x', '::set-output name=a::b', '##[error]x', '##vso[task.x]', '::add-mask::'],
  ...['[skip ci]', '[ci skip]', '***NO_CI***', 'fixes #1', 'Closes: a/b#2', 'skip-checks: true'],
  ...[
    '<script>alert(1)</script>',
    ']]>',
    '<!--',
    '&#x0;',
    '"',
    "'",
    '`',
    '```',
    '|',
    '@team',
    '![x](http://y)',
    '%0A',
    '%',
  ],
  ...['日本語', '👩‍👩‍👧', 'plain', ' ', 'x'.repeat(900)],
]

/** A generator of Park and Miller: the same values in each run. */
function* hostileTexts(count: number): Generator<string> {
  let state = 20_261_126
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  for (let at = 0; at < count; at++)
    yield Array.from({ length: 1 + next(6) }, () => atoms[next(atoms.length)]).join(['', ' ', '\n'][next(3)])
}

/** The detail with each text of a user, model, agent, database or file name replaced. */
function detailWith(text: string): RunDetail {
  const replaced = (value: unknown, key = ''): unknown => {
    if (typeof value === 'string') return fixed.has(key) ? value : text
    if (Array.isArray(value)) return value.map((each) => replaced(each, key === 'tags' ? '' : key))
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, name)]))
  }
  return replaced(hostileDetail) as RunDetail
}

/** Returns Markdown without code: fenced blocks, code spans, and what a backslash escapes. */
function outsideOfCode(markdown: string): string {
  let fence: string | undefined
  const lines = markdown.split('\n').filter((line) => {
    const marks = /^`{3,}/u.exec(line)?.[0]
    if (fence === undefined && marks !== undefined) fence = marks
    else if (fence !== undefined && line === fence) fence = undefined
    else return fence === undefined
    return false
  })
  return lines.map(withoutSpans).join('\n')
}

function withoutSpans(line: string): string {
  let [text, at] = ['', 0]
  while (at < line.length) {
    const ticks = /^`+/u.exec(line.slice(at))?.[0] ?? ''
    const end =
      ticks === '' ? null : new RegExp(`(?<!\`)${ticks}(?!\`)`, 'u').exec(line.slice(at + ticks.length))
    if (line[at] === '\\') at += 2
    else if (end != null) at += 2 * ticks.length + end.index
    else text += line[at++]
  }
  return text
}

/** What the program alone writes: words of its own, times, hashes. */
const fixed = new Set([
  ...['kind', 'outcome', 'verdict', 'baseline', 'label', 'status', 'mode', 'decision', 'grade', 'startedAt'],
  ...[
    'finishedAt',
    'knowledge',
    'knowledgeAfter',
    'by',
    'diff',
    'policy',
    'commit',
    'how',
    'component',
    'id',
  ],
])

const screens = [
  { width: 40, color: false },
  { width: 100, color: false },
]

/** Returns each sink's text for a run. */
function sinks(of: RunDetail): Readonly<Record<string, readonly string[]>> {
  return {
    terminal: screens.flatMap((screen) => [
      ...of.cases.flatMap((record) => failingCaseLines(record, screen, of.run.options)),
      ...needsPersonLines(of, screen),
      ...repairsLines(of, screen),
      ...lineageLines(of, screen),
      ...planLines(of, screen),
      ...rejectedLines(of, screen),
    ]),
    log: plainReport(of),
    annotation: githubAnnotations(of),
    markdown: markdownReport(of).split('\n'),
    junit: junitReport(of).split('\n'),
    json: [...jsonReport(of)].join('').split('\n'),
  }
}

describe('10,000 hostile values', () => {
  const texts = [...hostileTexts(10_000)]

  it('leave nothing unsafe in any sink, from any source', { timeout: 300_000 }, () => {
    // A run has more than a hundred texts: each value is in every one of them, a few values at a time.
    for (let at = 0; at < texts.length; at += 100) {
      const text = texts.slice(at, at + 100).join(at % 200 === 0 ? ' ' : '\n')
      const of = detailWith(text)
      for (const [sink, lines] of Object.entries(sinks(of))) {
        const context = `${sink} of ${JSON.stringify(text).slice(0, 300)}`
        expect(unsafeIn(lines.join(''), sink === 'junit' ? '\t' : ''), context).toEqual([])
        if (sink === 'annotation')
          for (const line of lines) expect(line, context).toMatch(/^::(?:error|warning) [^\n]*$/u)
        else {
          const logged = withoutRunnerCommands(lines.join('\n')).split('\n')
          expect(
            logged.filter((line) => /^\s*::|##\[|##vso\[/iu.test(line)),
            context,
          ).toEqual([])
        }
      }
      const junit = junitReport(of)
      expect(junit, 'characters outside of XML').not.toMatch(
        /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u,
      )
      expect(
        junit.replaceAll(/<\/?[a-z]+(?: [a-z]+="[^"<>&]*(?:&[#a-z0-9]+;[^"<>&]*)*")*\/?>|<\?xml[^>]*>/gu, ''),
      ).not.toMatch(/[<>]/u)
      expect(JSON.parse([...jsonReport(of)].join(''))).toMatchObject({ cases: expect.anything() })
      expect(outsideOfCode(markdownReport(of))).not.toMatch(/<script|<!--|!\[x\]\(/u)
    }
  })

  it('are no command to git, a pipeline or an issue tracker in a commit message', () => {
    for (const text of texts) {
      const repair = {
        attempt: { ...attempt, title: text, reasoning: text, subject: text },
        changes: [],
      } as unknown as AcceptedRepair
      const { subject, body } = commitMessage([repair], 'r-1')
      const reasons = quoted(safeCommitText(body))
      expect(reasons, JSON.stringify(text)).not.toMatch(/^[^>]/mu)
      for (const part of [safeCommitText(subject), reasons]) {
        expect(unsafeIn(part, '\n'), JSON.stringify(text)).toEqual([])
        expect(part, JSON.stringify(text)).not.toMatch(/\[(?:skip ci|ci skip)\]|\*\*\*NO_CI|#\d|@\w/imu)
        expect(part.replaceAll(/^> ?/gm, '').length).toBeLessThanOrEqual(8000)
      }
    }
  })

  it('keep their value in JSON', () => {
    for (const text of texts.slice(0, 500)) {
      const question = (
        JSON.parse([...jsonReport({ ...detail, cases: detailWith(text).cases })].join('')) as {
          cases: { question: string }[]
        }
      ).cases[0]?.question
      if (!/\p{Surrogate}/u.test(text)) expect(question).toBe(text)
    }
  })
})
