import { cpSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type ChatServer, type Policy, startChatServer } from '../llm/chat-server.js'
import { byRole, edits } from '../llm/policies.js'
import { keyed, modelKey } from './llm/project.js'
import { driftedNote, fenceAgent, goodNote, notePath, noteProject, revenueCase } from './note-project.js'
import { autotest, removeFolders } from './sample.js'
import { gitRepository, read, write } from './small-project.js'

const agents = resolve(import.meta.dirname, '../../agents')

let server: ChatServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})
afterAll(removeFolders)

/** The filter is a condition more; where its author had it is not known without git. */
const noteWithFilter = driftedNote.replace(
  "  AND market = 'VN'\n```",
  "  AND market = 'VN'\n  AND status = 'paid'\n```",
)

const addsFilter: Policy = () =>
  edits('lost its filter', [
    {
      kind: 'edit_note',
      path: notePath,
      search: "31'\n  AND market = 'VN'\n```\n\n## Number",
      replace: "31'\n  AND status = 'paid'\n  AND market = 'VN'\n```\n\n## Number",
    },
  ])

async function modelConfig(repairer: Policy): Promise<string> {
  server = await startChatServer(byRole({ repairer }), { key: modelKey })
  return `llm:
  base_url: ${server.baseUrl}
  key_env: TEST_MODEL_KEY
  roles: { repairer: { model: tiny } }
`
}

/** The project, whose note lost its filter by a commit with this message. */
function changedBy(message: string, config = '', changes: Readonly<Record<string, string>> = {}): string {
  const dir = noteProject({ ...changes, [notePath]: goodNote }, config)
  cpSync(join(agents, 'repairer.yaml'), join(dir, 'agents/repairer.yaml'))
  const git = gitRepository(dir)
  write(dir, notePath, driftedNote)
  git('commit', '--quiet', '--all', `--message=${message}`)
  return dir
}

describe('two cases that fail because of one query in a note', () => {
  it.each(['declares what it read', 'declares nothing'] as const)(
    'are evidence for each other; the agent %s',
    async (reads) => {
      const dir = changedBy('Update the notes', '', { 'agents/fences.mjs': fenceAgent(reads) })
      const run = await autotest(dir, ['--no-commit', '-o', 'out.json'])
      expect([run.code, read(dir, notePath)]).toEqual([0, noteWithFilter])
      const { repairs } = JSON.parse(read(dir, 'out.json'))
      const title = 'note sales.md, "Paid revenue": filter status = \'paid\' was missing'
      expect(repairs).toMatchObject([{ title, grade: 'E2', cases: ['revenue_id', 'takings_th'] }])
    },
  )

  it.each([
    ['one case', [0]],
    ['two cases with the same values', [0, 1]],
  ])('%s alone prove nothing', async (_what, chosen) => {
    const cases = [
      revenueCase('one', 'ID revenue in November 2025', 'ID', '2025-11-01', '2025-11-30'),
      revenueCase('other', 'the takings of November 2025 in ID', 'ID', '2025-11-01', '2025-11-30'),
    ]
    const dir = noteProject({}, '', chosen.map((at) => cases[at]).join(''))
    const run = await autotest(dir, ['--no-commit', '-o', 'out.json'])
    expect([run.code, read(dir, notePath)]).toEqual([1, driftedNote])
    const report = JSON.parse(read(dir, 'out.json'))
    expect(report.causes).toMatchObject([{ subject: 'note sales.md, "Paid revenue"' }])
    expect(report.causes[0].cause).toContain('a second case with other values is needed')
  })

  it('are shown to a model as one cause, of which one case is held out', async () => {
    const dir = changedBy('Update the notes', await modelConfig(addsFilter))
    const run = await autotest(dir, ['--no-commit', '--repairer', 'llm', '-o', 'out.json'], keyed)
    expect([run.code, read(dir, notePath), server?.asked.length]).toEqual([0, goodNote, 1])
    const { repairs } = JSON.parse(read(dir, 'out.json'))
    expect(repairs).toMatchObject([{ grade: 'E2', goldExposed: false }])
  })

  it('are asked about once, and are one cause in every report', async () => {
    const config = await modelConfig(addsFilter)
    const dir = changedBy('Revenue: cancelled orders count too, status is no longer filtered', config)
    for (const repairer of ['rules', 'llm']) {
      const files = ['out.json', 'out.md', 'out.xml']
      const flags = ['--no-commit', '--repairer', repairer, ...files.flatMap((file) => ['-o', file])]
      const run = await autotest(dir, [...flags, '--reporter', 'console'], keyed)
      expect([run.code, run.err, read(dir, notePath)]).toEqual([
        1,
        expect.not.stringContaining('bug'),
        driftedNote,
      ])
      const report = JSON.parse(read(dir, 'out.json'))
      const [question, ...others] = report.questions
      expect([question.subject, others]).toEqual(['note sales.md, "Paid revenue"', []])
      expect(question.cases.map(({ id }: { id: string }) => id)).toEqual(['revenue_id', 'takings_th'])
      expect(report.causes).toMatchObject([
        { subject: question.subject, label: 'conflicting_intent', cases: ['revenue_id', 'takings_th'] },
      ])
      for (const text of [run.out, read(dir, 'out.md')])
        expect(text.split('changed on purpose').length, text).toBe(2)
      expect(read(dir, 'out.xml').match(/name="cause" value="c1: note sales\.md/g)).toHaveLength(2)
      const gates = JSON.parse((await autotest(dir, ['gates', '--json'])).out)
      expect(gates).toMatchObject([{ kind: 'conflicting_intent', subject: question.subject }])
      const why = await autotest(dir, ['why', 'takings_th'])
      expect(why.out).toContain('same cause      revenue_id')
    }
  })
})
