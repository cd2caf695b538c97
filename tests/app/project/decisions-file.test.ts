import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  addDecisions,
  decisionsFile,
  readDecisions,
  removeDecision,
} from '../../../src/app/project/decisions-file.js'
import type { RejectedRepair } from '../../../src/contracts/rejected-repair.js'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'autotest-decisions-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const decision: Omit<RejectedRepair, 'id'> = {
  repair: 'gmv: "status" was missing',
  entry: 'metric gmv',
  reason: 'finance: # later\nnot now',
  date: '2025-11-20',
  by: 'Ada',
  run: 'r-1a2b',
  cases: new Map([['gmv_id', 'abc']]),
  files: [{ path: 'kb/snippets/gmv.sql', before: 'SELECT 1\r\n\tx', after: null }],
}
const write = (text: string) => writeFile(join(root, decisionsFile), text)
const text = () => readFile(join(root, decisionsFile), 'utf8')

describe('decisions file', () => {
  it('is empty where there is none', async () => {
    expect(await readDecisions(root)).toEqual([])
    expect(await removeDecision(root, '123456')).toBeUndefined()
  })

  it('gives back what was written, byte by byte', async () => {
    const [added] = await addDecisions(root, [decision])
    expect(added?.id).toMatch(/^[0-9a-f]{6}$/)
    expect(await readDecisions(root)).toEqual([{ ...decision, id: added?.id }])
  })

  it('keeps comments, order and what somebody else wrote', async () => {
    await addDecisions(root, [decision])
    await write(
      (await text()).replace('rejected:', '# ours\nrejected:').replace('by: Ada', 'by: Ada # on leave'),
    )
    const [second] = await addDecisions(root, [{ ...decision, entry: 'metric dau', cases: new Map() }])
    expect(await text()).toContain('# ours\nrejected:')
    expect(await text()).toContain('by: Ada # on leave')
    await removeDecision(root, second?.id ?? '')
    expect((await readDecisions(root)).map(({ entry }) => entry)).toEqual(['metric gmv'])
  })

  it('has a decision once', async () => {
    await addDecisions(root, [decision])
    expect(await addDecisions(root, [{ ...decision, reason: 'again' }])).toEqual([])
  })

  it('begins in an empty file', async () => {
    await write('')
    await addDecisions(root, [decision])
    expect(await readDecisions(root)).toHaveLength(1)
  })

  it.each([
    ['rejected: 3', 'autotest.decisions.yaml:1:1  '],
    ['rejected:\n  - id: x\n', 'autotest.decisions.yaml:2:'],
    ['rejected: [\n', 'autotest.decisions.yaml:2'],
    ['rejectd: []\n', 'rejectd'],
    [
      'rejected:\n  - { id: "123456", repair: a, entry: b, reason: c, date: x, by: d, run: r, cases: {}, files: [] }\n',
      'YYYY-MM-DD',
    ],
  ])('names the place of an error: %j', async (content, expected) => {
    await write(content)
    await expect(readDecisions(root)).rejects.toMatchObject({ code: 'config_invalid' })
    await expect(readDecisions(root)).rejects.toThrow(expected)
    await expect(addDecisions(root, [decision])).rejects.toMatchObject({ code: 'config_invalid' })
    expect(await text()).toBe(content)
  })
})
