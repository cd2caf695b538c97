import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkReportFile, formatReport, writeReport } from '../../src/report/write.js'
import { detail, failingCase } from './fixtures.js'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'autotest-report-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('writes the format that the extension names, into a folder it makes', async () => {
  for (const name of ['out.json', 'out.XML', 'out.md'])
    await writeReport(detail, join(folder, 'deep/er', name), {})
  const read = (name: string): Promise<string> => readFile(join(folder, 'deep/er', name), 'utf8')
  expect(JSON.parse(await read('out.json'))).toHaveProperty('summary.total', 5)
  expect(await read('out.XML')).toMatch(/^<\?xml/)
  expect(await read('out.md')).toMatch(/^# autotest r-7f3a/)
})

it('replaces an older report and leaves nothing else behind', async () => {
  const file = join(folder, 'out.json')
  await writeFile(file, 'older and longer '.repeat(10_000))
  await writeReport(detail, file, {})
  expect(JSON.parse(await readFile(file, 'utf8'))).toHaveProperty('run.id', 'r-7f3a')
  expect(await readdir(folder)).toEqual(['out.json'])
})

it('refuses an unknown extension and names the four', () => {
  expect(() => checkReportFile('out.pdf')).toThrowError(
    expect.objectContaining({ code: 'usage', hint: expect.stringMatching(/\.json.*\.xml.*\.md/) }),
  )
  expect(() => checkReportFile('report')).toThrowError(expect.objectContaining({ code: 'usage' }))
})

it('says which report could not be written and keeps what was there', async () => {
  await writeFile(join(folder, 'file'), 'x')
  await expect(writeReport(detail, join(folder, 'file/out.json'), {})).rejects.toMatchObject({
    code: 'write_failed',
    message: expect.stringContaining('file/out.json'),
  })
  expect(await readFile(join(folder, 'file'), 'utf8')).toBe('x')
})

it('shows no secret in any format', () => {
  const secret = 'sk-live-123456789'
  const record = { ...failingCase, cause: `401 for ${secret}`, question: `with ${secret}` }
  for (const file of ['a.json', 'a.xml', 'a.md']) {
    const text = formatReport({ ...detail, cases: [record] }, file, { OPENAI_API_KEY: secret })
    expect(text).not.toContain(secret)
    expect(text).toContain('401 for')
  }
})
