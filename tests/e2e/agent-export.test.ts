import { spawnSync } from 'node:child_process'
import { appendFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { needsPython } from '../needs.js'
import { autotest, cli, removeFolders } from './sample.js'
import { filesIn, readIn, tddProject, writeIn } from './tdd-project.js'

afterAll(removeFolders)

const exportTo = (root: string, ...flags: string[]) =>
  autotest(root, ['agent', 'export', '--to', '.', ...flags])

/** The files of section 8: agents, skill, rules, table, description of the guidelines. */
const claude = [
  ...['test-writer', 'coder', 'backend', 'frontend', 'debugger'].map((name) => `.claude/agents/${name}.md`),
  '.claude/skills/tdd-execution/SKILL.md',
  ...['hitl-gates', 'workflow', 'identity-selection', 'parallel-coordination'].map(
    (name) => `.claude/rules/${name}.md`,
  ),
  'CLAUDE.md',
  'docs/guardrails/README.md',
  ...[
    'cognitive-isolation-debugger',
    'cognitive-isolation-test-writer',
    'tdd-debugger-escalation',
    'tdd-protocol',
    'tdd-test-writer-protocol',
  ].map((id) => `agents/guidelines/${id}.json`),
]

describe('autotest agent export', () => {
  it('writes agents with their hook, skill, rules, table and guidelines; a second export changes nothing', async () => {
    const root = tddProject()
    const { code } = await exportTo(root)
    const first = filesIn(root)
    expect([code, claude.filter((path) => readIn(root, path) === undefined)]).toEqual([0, []])
    const again = await exportTo(root)
    expect(filesIn(root)).toEqual(first)
    expect(
      again.out
        .trim()
        .split('\n')
        .every((line) => line.startsWith('unchanged ')),
    ).toBe(true)
  })

  it('writes a neutral form', async () => {
    const root = tddProject()
    await exportTo(root, '--form', 'neutral')
    const written = Object.keys(filesIn(root))
    for (const path of [
      'AGENTS.md',
      'agents/roles/coder.md',
      'agents/rules/hitl-gates.md',
      'agents/skills/tdd-execution.md',
    ])
      expect(written).toContain(path)
    expect(written.some((path) => path.startsWith('.claude'))).toBe(false)
    expect((await autotest(root, ['roles'])).code).toBe(0)
  })

  it('keeps what a person wrote, before, within and around', async () => {
    const root = tddProject({
      'CLAUDE.md': '# Our rules\n\nBe kind.\n',
      '.claude/agents/debugger.md': 'mine\n',
      'agents/guidelines/tdd-protocol.json': JSON.stringify({
        ...{ id: 'tdd-protocol', name: 'Ours', description: 'ours', category: 'tdd_protocol', priority: 1 },
        action: { type: 'constraint', instruction: 'Ours.' },
      }),
    })
    const own = readIn(root, 'agents/guidelines/tdd-protocol.json')
    await exportTo(root)
    expect(readIn(root, 'CLAUDE.md')).toMatch(/^# Our rules\n\nBe kind\.\n\n<!-- autotest: roles/)
    expect([
      readIn(root, '.claude/agents/debugger.md'),
      readIn(root, 'agents/guidelines/tdd-protocol.json'),
    ]).toEqual(['mine\n', own])
    appendFileSync(join(root, 'CLAUDE.md'), '\nAfter.\n')
    const rule = '.claude/rules/workflow.md'
    const changed = (readIn(root, rule) ?? '').replace('## Step 6', '## Our step 6')
    writeIn(root, rule, changed)
    // Another role changes the table, which is written anew between its marks.
    writeIn(
      root,
      'agents/coder.yaml',
      (readIn(join(import.meta.dirname, '../..'), 'agents/coder.yaml') ?? '')
        .replace('[src/**]', '[lib/**]')
        .replace(/ {4}pym: /g, '    pym: ../x/')
        .replace(
          /tools:\n[\s\S]*$/,
          'tools:\n  - name: submit_result\n    description: d\n    parameters: { type: object, additionalProperties: false, required: [], properties: {} }\n',
        ),
    )
    const { out } = await exportTo(root)
    expect(readIn(root, rule)).toBe(changed)
    expect(out).toContain(`kept, as it was changed by hand: ${rule}`)
    expect(readIn(root, 'CLAUDE.md')).toMatch(
      /^# Our rules[\s\S]*`lib\/\*\*`[\s\S]*end of roles -->\n\nAfter\.\n$/,
    )
  })

  it('keeps a frontmatter that a person changed', async () => {
    const root = tddProject()
    await exportTo(root)
    const agent = '.claude/agents/coder.md'
    const mine = (readIn(root, agent) ?? '').replace('model: inherit', 'model: large')
    writeIn(root, agent, mine)
    await exportTo(root, '--command', 'other')
    expect(readIn(root, agent)).toBe(mine)
  })

  it('writes through no link', async () => {
    const root = tddProject()
    writeIn(root, 'elsewhere.md', 'mine\n')
    symlinkSync('elsewhere.md', join(root, 'CLAUDE.md'))
    const { out } = await exportTo(root)
    expect(readIn(root, 'elsewhere.md')).toBe('mine\n')
    expect(out).toContain('kept, as it was changed by hand: CLAUDE.md')
  })

  it(
    'gives each agent a hook that denies what its role may not write, and denies where the program is not there',
    needsPython,
    async () => {
      const root = tddProject()
      await exportTo(root, '--command', `"${process.execPath}" "${cli}"`)
      const text = readIn(root, '.claude/agents/test-writer.md') ?? ''
      const head = parse(/^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '')
      expect(Object.keys(head)).toEqual(['name', 'description', 'tools', 'model', 'hooks'])
      const [{ command }] = head.hooks.PreToolUse[0].hooks
      const ask = (path: string) =>
        spawnSync('sh', ['-c', command], {
          cwd: root,
          input: JSON.stringify({
            hook_event_name: 'PreToolUse',
            tool_name: 'Write',
            tool_input: { file_path: path },
            cwd: root,
          }),
        }).status
      expect([ask('tests/unit/test_a.py'), ask('src/shop/calc.py'), ask('pyproject.toml')]).toEqual([0, 2, 2])
      await exportTo(root, '--command', 'no-such-program')
      const broken = /command: (.*)/.exec(readIn(root, '.claude/agents/coder.md') ?? '')?.[1] ?? ''
      expect(spawnSync('sh', ['-c', broken], { cwd: root, input: '{}' }).status).toBe(2)
      const { disallowedTools } = parse(
        /^---\n([\s\S]*?)\n---\n/.exec(readIn(root, '.claude/agents/debugger.md') ?? '')?.[1] ?? '',
      )
      expect(disallowedTools).toBe('Write, Edit, MultiEdit, NotebookEdit')
    },
  )
})
