import { afterAll, describe, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import { gitRepository, read, smallProject, write } from './small-project.js'

afterAll(removeFolders)

/** A part of a metric's file: what the drift deletes stands between `«` and `»`. Aliases: `WORD gross` stays, `WORD sales` goes. */
type Kinds = Readonly<Record<string, string>>

const lists: Kinds = {
  'a block list': 'aliases:\n  - WORD gross # short\n«  - WORD sales # long\n»  - WORD sum\n',
  'a block list, the first item': 'aliases:\n«  # finance\n  - "WORD sales" # long\n»  - WORD gross\n',
  'a block list, the last item with comments':
    'aliases:\n  - WORD gross\n\n«  # finance\n  # says\n  - WORD sales\n»snippet_is: below\n',
  'a block list without indentation': "aliases:\n- WORD gross\n«- 'WORD sales'   # long\n»- WORD sum\n",
  'a block list whose comment stays': 'aliases:\n  - WORD gross\n  # finance\n«  - WORD sales # long\n»',
  'a flow list on one line': 'aliases: [WORD gross«, WORD sales»] # words\n',
  'a flow list with its own spacing': 'aliases: [ "WORD gross"« ,"WORD sales"»,WORD sum ]   # words\n',
  'a flow list on one line, the first': "aliases: [«'WORD sales', »WORD gross]\n",
  'a flow list on lines': 'aliases: [\n  WORD gross, # short\n  # finance\n«  "WORD sales", # long\n»]\n',
  'a flow list on lines, the first':
    'aliases: [\n«  # finance\n  "WORD sales", # long\n»  WORD gross, # short\n  # end\n]\n',
  'a flow list on lines, in between':
    'aliases: [\n  WORD gross, # short\n«  # finance\n  WORD sales  , # long\n»  WORD sum\n  ]\n',
  'a flow list without a comma at the end':
    'aliases: [\n  WORD gross«,» # short\n«  # finance\n  WORD sales # long\n»]\n',
  'a flow list, the comma below': 'aliases: [\n  WORD gross # short\n«  , WORD sales # long\n»]\n',
  'a flow list of several to a line':
    'aliases: [\n    WORD gross, «WORD sales, »WORD sum, # common\n    WORD net ]\n',
  'an anchored list': 'aliases: &WORD_words\n  - WORD gross\n«  - WORD sales # long\n»description: about\n',
  'a list with CRLF': 'aliases: [\r\n  WORD gross, # short\r\n«  "WORD sales", # long\r\n»]\r\n',
  'the only item, and its key': '«# words\naliases: [WORD sales] # long\n»',
}

const values: Kinds = {
  'a flow map': 'values: { ID: [Indonesia], «TH: [Siam], »VN: [Vietnam] } # markets\n',
  'a flow map with its own spacing': 'values: {ID:  [Indonesia]« ,TH: ["Siam"]»,VN: [Vietnam]}\n',
  'a flow map on lines':
    'values: {\n      ID: [Indonesia], # largest\n«      # south\n      TH: [Siam], # old name\n»      VN: [Vietnam] }\n',
  'a block map':
    'values:\n      ID: [Indonesia] # largest\n«      # south\n      TH: [Siam] # old name\n»      VN: [Vietnam]\n',
  'a block map with lists':
    "values:\n      ID: [Indonesia]\n«      'TH': # south\n        # names\n        - Siam # old name\n»      VN: [Vietnam]\n",
  'a block map, the first':
    'values:\n«      "TH": [Siam] # south\n»      ID: [Indonesia]\n      VN: [Vietnam]\n',
  'a block map, the last with comments':
    'values:\n      ID: [Indonesia]\n      VN: [Vietnam]\n«\n      # south\n      TH: [Siam]\n      # no more\n»',
  'a block map with CRLF':
    'values:\r\n      ID: [Indonesia]\r\n«      TH: [Siam] # south\r\n»      VN: [Vietnam]\r\n',
}

const words = ['amber', 'birch', 'cedar', 'denim', 'ebony', 'fjord', 'grape', 'hazel', 'ivory', 'jasper']
words.push('khaki', 'lemon', 'maple', 'nickel', 'olive', 'pearl', 'quartz', 'ruby', 'silver', 'topaz')

const sql = (threshold: number, market: string, from: string, to: string): string =>
  `SELECT sum(amount) AS total FROM orders WHERE amount > ${threshold} AND market = '${market}' AND day BETWEEN '${from}' AND '${to}'`
const months = [
  ['October', '2025-10-01', '2025-10-31'],
  ['December', '2025-12-01', '2025-12-31'],
] as const

/** Makes a project with one metric for each kind, in git; returns its files before and after the drift. */
function projectOf(
  kinds: Kinds,
  metricText: (part: string, word: string) => string,
  question: (word: string) => string,
) {
  const files = Object.values(kinds).map((part, at) => {
    const word = words[at] ?? ''
    const text = metricText(part, word).replaceAll('WORD', word)
    const eol = part.includes('\r\n') ? '\r\n' : '\n'
    const marked = text.replaceAll(/\r?\n/g, eol)
    return {
      word,
      path: `kb/metrics/${word}.yaml`,
      before: marked.replaceAll(/[«»]/g, ''),
      after: marked.replaceAll(/«[^»]*»/g, ''),
    }
  })
  const cases = files.flatMap(({ word }, at) =>
    months.map(([month, from, to]) => ({
      id: `${word}_${month}`.toLowerCase(),
      question: `${question(word)} in ${month} 2025`,
      expected_sql: sql(at, 'TH', from, to),
    })),
  )
  const dir = smallProject({
    'benchmarks/gmv.yaml': `cases:\n${cases.map((each) => `  - ${JSON.stringify(each)}\n`).join('')}`,
    'kb/metrics/gmv.yaml': null,
    'kb/metrics/orders.yaml': null,
    'kb/snippets/orders.sql': null,
    'kb/snippets/gmv.sql': null,
  })
  for (const [at, { word, path, before }] of files.entries()) {
    write(dir, path, before)
    write(
      dir,
      `kb/snippets/${word}.sql`,
      `SELECT sum(amount) AS total\nFROM orders\nWHERE amount > ${at}\n  AND market = {{ market }}\n  AND day BETWEEN {{ period.start }} AND {{ period.end }}\n`,
    )
  }
  const git = gitRepository(dir)
  git('config', 'core.autocrlf', 'false')
  return { dir, git, files }
}

describe('what a drift only removed comes back byte for byte as git had it', () => {
  it.each([
    [
      'items of lists',
      lists,
      (part: string, word: string) =>
        `# owner: data\nmetric: total_${word}\nsnippet: ${word}.sql\n${part.replace('snippet_is: below\n', '')}parameters:\n  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand], VN: [Vietnam] } }\n  period: { type: date_range }\n`,
      (word: string) => `TH ${word} sales`,
    ],
    [
      'values of maps',
      values,
      (part: string, word: string) =>
        `metric: total_${word}\naliases: [${word} sales]\nsnippet: ${word}.sql\nparameters:\n  market:\n    type: enum\n    ${part}  period: { type: date_range }\n`,
      (word: string) => `${word} sales in Siam`,
    ],
  ] as const)(
    '%s',
    async (_name, kinds, metricText, question) => {
      const { dir, git, files } = projectOf(kinds, metricText, question)
      const healthy = await autotest(dir, ['--no-repair'])
      expect([healthy.code, healthy.out.includes('failed=0')], healthy.out).toEqual([0, true])
      for (const { path, after } of files) write(dir, path, after)
      git('commit', '--quiet', '--all', '--message=tidy')
      const { out } = await autotest(dir, ['--yes'])
      const kindNames = Object.keys(kinds)
      const got = Object.fromEntries(files.map(({ path }, at) => [kindNames[at], read(dir, path)]))
      expect(got, out).toEqual(Object.fromEntries(files.map(({ before }, at) => [kindNames[at], before])))
    },
    600_000,
  )
})
