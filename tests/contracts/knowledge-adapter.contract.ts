import { describe, expect, it } from 'vitest'
import { applyEdits } from '../../src/edit/apply-edits.js'
import type { Metric, Snippet } from '../../src/kb/entry.js'
import type { SlotEdit } from '../../src/kb/entry-slots.js'
import type { KnowledgeAdapter } from '../../src/kb/knowledge-adapter.js'
import { diffSnapshots } from '../../src/snapshot/diff.js'
import { readText, type Snapshot } from '../../src/snapshot/snapshot.js'
import { snapshotOf } from './agent.contract.js'

/** What an adapter is tried on: files that hold the metric `revenue` (aliases revenue, turnover), its query, and more. */
export interface AdapterUnderTest {
  readonly format: KnowledgeAdapter
  readonly files: Readonly<Record<string, string>>
  /** A file that no edit of this format may write. */
  readonly foreignPath: string
}

/** What every format of knowledge must do. */
export function knowledgeAdapterContract({ format, files, foreignPath }: AdapterUnderTest): void {
  const snapshot = snapshotOf(files)
  const read = (from: Snapshot) => {
    const kb = format.read(from, 'kb')
    const metric = kb.metrics.find(({ name }) => name === 'revenue')
    const query = metric && kb.snippets.get(metric.snippet)
    if (metric === undefined || query === undefined) throw new Error('the files hold the metric revenue')
    return { kb, metric, query }
  }
  const { kb, metric, query } = read(snapshot)
  const alias = (value: string): SlotEdit => ({
    entry: metric.id,
    path: metric.path,
    slot: { kind: 'aliases' },
    action: 'append',
    expected: metric.aliases,
    value,
  })
  const rewrite = (expected: string, value: string): SlotEdit => ({
    entry: query.id,
    path: query.path,
    slot: { kind: 'query' },
    action: 'set',
    expected,
    value,
  })
  const apply = (edits: readonly SlotEdit[], to: Snapshot = snapshot) =>
    applyEdits(to, format.render(edits, to))
  const changedLines = (after: Snapshot) =>
    diffSnapshots(snapshot, after).reduce((sum, { added, removed }) => sum + added + removed, 0)

  describe(`the format ${format.name}`, () => {
    it('reads entries, and gives the same of the same snapshot', () => {
      expect(metric.aliases).toEqual(['revenue', 'turnover'])
      expect(query.text).toContain('{{ market }}')
      expect(kb.problems).toEqual([])
      expect(format.read(snapshot, 'kb')).toEqual(kb)
    })

    it('finds no mark against repairs where nobody wrote one', () => {
      expect(format.repairMark(metric.path, snapshot)).toBeUndefined()
      expect(format.repairMark('kb/absent', snapshot)).toBeUndefined()
    })

    it('tells where slots stand: their text is in the file there', () => {
      const all = [metric, query].flatMap((entry: Metric | Snippet) =>
        format.slotsOf(entry, snapshot).map((slot) => ({ entry, ...slot })),
      )
      for (const { entry, text, start, end } of all)
        expect((readText(snapshot, entry.path) ?? '').slice(start, end)).toBe(text)
      expect(all.find(({ slot }) => slot.kind === 'query')?.text).toBe(query.text)
      const aliases = all.flatMap(({ slot, text }) => (slot.kind === 'aliases' ? [text] : []))
      expect(aliases).toEqual(metric.aliases)
    })

    it('adds a word as a change of few lines, and taking it out gives the bytes back', () => {
      const after = apply([alias('proceeds')])
      expect(read(after).metric.aliases).toEqual(['revenue', 'turnover', 'proceeds'])
      expect(changedLines(after)).toBeLessThanOrEqual(2)
      const removal: SlotEdit = {
        ...alias(''),
        slot: { kind: 'aliases', item: 2 },
        action: 'remove',
        expected: 'proceeds',
        value: undefined,
      }
      expect(apply([removal], after).hash).toBe(snapshot.hash)
    })

    it('makes several changes one after the other', () => {
      const second = { ...alias('income'), expected: [...metric.aliases, 'proceeds'] }
      expect(read(apply([alias('proceeds'), second])).metric.aliases).toEqual([
        ...['revenue', 'turnover', 'proceeds', 'income'],
      ])
    })

    it('rewrites a query and nothing else', () => {
      const text = query.text.replace('sum(', 'max(')
      const after = apply([rewrite(query.text, text)])
      expect(read(after).query.text).toBe(text)
      expect(changedLines(after)).toBe(2)
      expect(read(after).metric).toEqual(metric)
      const others = (each: typeof kb) =>
        [...each.snippets.values()].filter(({ name }) => name !== query.name)
      expect(others(read(after).kb)).toEqual(others(kb))
    })

    it('refuses a change of something that is not there', () => {
      expect(() =>
        apply([{ ...alias(''), slot: { kind: 'aliases', item: 0 }, action: 'remove', expected: 'x' }]),
      ).toThrow()
      expect(() => apply([rewrite('SELECT nothing FROM nowhere\n', 'SELECT 1\n')])).toThrow()
    })

    it('says of an edit what it changes, and of which entry', () => {
      const [edit] = format.render([alias('proceeds')], snapshot)
      if (edit === undefined) throw new Error('a word is added')
      expect(format.slotEditOf(edit)).toEqual(alias('proceeds'))
      expect(format.entriesEditedBy(edit)).toContain(metric.id)
      const other = format.withValue(edit, 'income')
      expect(read(applyEdits(snapshot, [other])).metric.aliases).toEqual(['revenue', 'turnover', 'income'])
      const [text] = format.render([rewrite(query.text, `${query.text.trimEnd()} LIMIT 1`)], snapshot)
      expect(text && format.slotEditOf(text)).toBeUndefined()
      expect(text && format.entriesEditedBy(text)).toContain(query.id)
    })

    it('lets edits write its own files only', () => {
      const [edit] = format.render([alias('proceeds')], snapshot)
      if (edit === undefined) throw new Error('a word is added')
      expect(() => format.checkPlace(edit, 'kb')).not.toThrow()
      expect(() => format.checkPlace({ ...edit, path: foreignPath }, 'kb')).toThrow()
    })

    it('writes a metric with its query, under a name that is free', () => {
      const { creation } = format
      expect(creation.isFree('revenue', true, snapshot, 'kb')).toBe(false)
      expect(creation.isFree('refunds', true, snapshot, 'kb')).toBe(true)
      const name = creation.queryName('refunds')
      expect(creation.metricNameOf(name)).toBe('refunds')
      const edits = creation.create(
        {
          query: { name, text: 'SELECT count(*) FROM refunds WHERE market = {{ market }}\n' },
          metric: {
            ...{ name: 'refunds', title: 'Refunds', aliases: ['refunds'], query: name },
            parameters: new Map([['market', { type: 'enum', values: new Map([['ID', ['Indonesia']]]) }]]),
          },
        },
        snapshot,
        'kb',
      )
      for (const edit of edits) format.checkPlace(edit, 'kb')
      const after = read(applyEdits(snapshot, edits))
      expect(after.metric).toEqual(metric)
      const refunds = after.kb.metrics.find((each) => each.name === 'refunds')
      expect(refunds).toMatchObject({ aliases: ['refunds'], snippet: name, path: expect.any(String) })
      expect(refunds?.parameters.get('market')).toMatchObject({ values: new Map([['ID', ['Indonesia']]]) })
      expect(after.kb.snippets.get(name)?.path).toBe(creation.queryPath(name, 'kb'))
    })

    it('reads a query in an earlier text of its file', () => {
      const now = readText(snapshot, query.path) ?? ''
      expect(format.former.queryIn(query, now)).toBe(query.text)
      expect(format.former.queryIn(query, now.replace('sum(', 'max('))).toBe(
        query.text.replace('sum(', 'max('),
      )
    })
  })
}
