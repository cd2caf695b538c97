import { describe, expect, it } from 'vitest'
import { parseKnowledgeBase } from '../../src/kb/parse.js'
import { readText, withFiles } from '../../src/snapshot/snapshot.js'
import { metricNamed, parseFiles, shop, snapshotOf } from './knowledge-files.js'

const good = `metric: dau
aliases: [DAU]
snippet: dau.sql
parameters:
  market: { type: enum, values: [ID, TH] }
`
const sql = 'SELECT 1 WHERE market = {{ market }}'

function problemsOf(yaml: string, snippet = sql) {
  return parseFiles({ 'kb/metrics/dau.yaml': yaml, 'kb/snippets/dau.sql': snippet }).problems
}

describe('a knowledge base', () => {
  it('is read from metrics, snippets and notes', () => {
    const kb = parseFiles(shop)
    expect(kb.problems).toEqual([])
    expect(kb.metrics.map(({ id }) => id)).toEqual([
      'metric:dau',
      'metric:gmv',
      'metric:gross_margin',
      'metric:products',
    ])
    expect([...kb.snippets.keys()].sort()).toEqual(['dau.sql', 'gmv.sql', 'gross-margin.sql', 'products.sql'])
    expect(kb.notes).toEqual([
      { id: 'note:conventions.md', text: '# Conventions\n', path: 'kb/notes/conventions.md' },
    ])
  })

  it('tells of an empty snippet once, whatever its metric has', () => {
    expect(problemsOf(good, ' \n')).toMatchObject([
      { severity: 'warning', path: 'kb/snippets/dau.sql', line: 1, message: 'the snippet is empty' },
    ])
  })

  it('tells of a comment that swallows the query where lines end in CR alone', () => {
    const [problem] = problemsOf(good, '-- dau\rSELECT 1\rWHERE market = {{ market }}\r')
    expect(problem).toMatchObject({
      message: 'placeholder {{ market }} is inside a comment, as its lines end in CR only',
      hint: 'Save the file with LF line ends.',
    })
    expect(problemsOf(good, 'SELECT 1\rWHERE market = {{ market }}\r')).toEqual([])
  })

  it('has parameters and values by names that every object has; `__proto__` is an error with its place', () => {
    const names = 'constructor, toString, hasOwnProperty'
    const yaml = (name: string) =>
      `metric: dau\nsnippet: dau.sql\nparameters:\n  ${name}: { type: enum, values: { ID: [], ${names.replaceAll(',', ': [],')}: [] } }\n`
    for (const name of names.split(', ')) {
      const kb = parseFiles({
        'kb/metrics/dau.yaml': yaml(name),
        'kb/snippets/dau.sql': `SELECT 1 WHERE a = {{ ${name} }}`,
      })
      expect(kb.problems).toEqual([])
      const parameter = metricNamed(kb, 'dau').parameters.get(name)
      expect(parameter).toMatchObject({ type: 'enum' })
      if (parameter?.type === 'enum') expect([...parameter.values.keys()].join(', ')).toBe(`ID, ${names}`)
    }
    expect(problemsOf(yaml('__proto__'))).toMatchObject([
      { severity: 'error', path: 'kb/metrics/dau.yaml', line: 4, column: 3 },
    ])
  })

  it('knows every kind of parameter, with defaults filled in', () => {
    const kb = parseFiles(shop)
    const { parameters } = metricNamed(kb, 'products')
    expect(parameters.get('market')).toEqual({
      type: 'enum',
      values: new Map([
        ['ID', []],
        ['TH', []],
      ]),
      default: 'ID',
    })
    expect(parameters.get('n')).toEqual({
      type: 'number',
      words: ['top', 'first'],
      integer: true,
      default: 10,
    })
    expect(metricNamed(kb, 'dau').parameters.get('market')).toMatchObject({
      values: new Map([
        ['ID', ['Indonesia']],
        ['TH', ['Thailand']],
        ['IN', ['India']],
        ['MY', []],
      ]),
    })
    expect(metricNamed(kb, 'gmv').parameters.get('by')).toMatchObject({
      values: new Map([
        ['total', { sql: "'all'", aliases: [] }],
        ['device', { sql: 'device_type', aliases: ['by device', 'per device'] }],
        ['month', { sql: "date_trunc('month', day)", aliases: ['by month'] }],
      ]),
    })
  })

  it('finds files in folders of folders and ignores what is not knowledge', () => {
    const kb = parseFiles({
      'kb/metrics/traffic/dau.yml': 'metric: dau\nsnippet: traffic/dau.sql\n',
      'kb/snippets/traffic/dau.sql': 'SELECT 1',
      'kb/metrics/readme.txt': 'x',
      'other/metrics/x.yaml': 'metric: x\nsnippet: x.sql\n',
    })
    expect(kb.problems).toEqual([])
    expect(kb.metrics.map(({ name, title, snippet }) => [name, title, snippet])).toEqual([
      ['dau', 'dau', 'traffic/dau.sql'],
    ])
    expect(kb.snippets.get('traffic/dau.sql')?.id).toBe('snippet:traffic/dau.sql')
  })

  it('names metrics and snippets that stand where nothing reads them, and no other file', () => {
    const kb = parseFiles({
      'kb/metrics.yaml': '- metric: dau\n  snippet: dau.sql\n',
      'kb/sql/dau.sql': 'SELECT {{ market }}',
      'kb/tables.yaml': 'tables: [a]\n',
      'kb/schema.sql': 'CREATE TABLE a (b int)',
      'other.yaml': 'metric: x\n',
    })
    expect(kb.problems.map(({ severity, path, hint }) => [severity, path, hint])).toEqual([
      ['warning', 'kb/metrics.yaml', 'Move it to kb/metrics/.'],
      ['warning', 'kb/sql/dau.sql', 'Move it to kb/snippets/.'],
    ])
  })

  it('may lie in any folder', () => {
    const files = { 'metrics/a.yaml': 'metric: a\nsnippet: a.sql\n', 'snippets/a.sql': 'SELECT 1' }
    expect(parseKnowledgeBase(snapshotOf(files), '.').metrics).toHaveLength(1)
    const deep = Object.fromEntries(Object.entries(files).map(([path, text]) => [`a/b/${path}`, text]))
    expect(parseKnowledgeBase(snapshotOf(deep), './a/b/').metrics).toHaveLength(1)
  })

  it('is empty, not an error, where there are no files', () => {
    expect(parseFiles({})).toMatchObject({ metrics: [], broken: [], notes: [], problems: [] })
  })
})

describe('parsing again', () => {
  it('gives the same object for the same snapshot', () => {
    const snapshot = snapshotOf(shop)
    expect(parseKnowledgeBase(snapshot, 'kb')).toBe(parseKnowledgeBase(snapshot, 'kb'))
  })

  it('reads only the file that an edit changed', () => {
    const snapshot = snapshotOf(shop)
    const before = parseKnowledgeBase(snapshot, 'kb')
    const text = (shop['kb/metrics/dau.yaml'] ?? '').replace('DAU', 'daily users')
    const edited = withFiles(snapshot, new Map([['kb/metrics/dau.yaml', new TextEncoder().encode(text)]]))
    const after = parseKnowledgeBase(edited, 'kb')
    expect(metricNamed(after, 'gmv')).toBe(metricNamed(before, 'gmv'))
    expect(metricNamed(after, 'dau').aliases).toContain('daily users')
    expect(metricNamed(before, 'dau').aliases).toContain('DAU')
  })

  it('notices that a metric lost its snippet', () => {
    const snapshot = snapshotOf(shop)
    expect(parseKnowledgeBase(snapshot, 'kb').problems).toEqual([])
    const edited = withFiles(snapshot, new Map([['kb/snippets/dau.sql', null]]))
    expect(parseKnowledgeBase(edited, 'kb').broken).toMatchObject([
      { id: 'metric:dau', metric: { name: 'dau' } },
    ])
  })

  it('reads of 400 metrics only the one that an edit changed, and of their snippets', () => {
    const files = Array.from({ length: 400 }, (_, n): [string, string][] => [
      [
        `kb/metrics/m${n}.yaml`,
        (shop['kb/metrics/dau.yaml'] ?? '').replaceAll(/dau|daily active/gi, `m${n}`),
      ],
      [`kb/snippets/m${n}.sql`, shop['kb/snippets/dau.sql'] ?? ''],
    ]).flat()
    const snapshot = snapshotOf(Object.fromEntries(files))
    const before = parseKnowledgeBase(snapshot, 'kb')
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
    const edited = withFiles(
      snapshot,
      new Map([
        ['kb/metrics/m5.yaml', bytes(`${readText(snapshot, 'kb/metrics/m5.yaml')}# edited\n`)],
        ['kb/snippets/m7.sql', bytes('SELECT 1')],
      ]),
    )
    const after = parseKnowledgeBase(edited, 'kb')
    const names = Array.from({ length: 400 }, (_, n) => `m${n}`)
    expect(names.filter((name) => metricNamed(after, name) !== metricNamed(before, name))).toEqual(['m5'])
    const snippetOf = ({ snippets }: typeof before, name: string) => snippets.get(`${name}.sql`)
    expect(names.filter((name) => snippetOf(after, name) !== snippetOf(before, name))).toEqual(['m7'])
  })
})
