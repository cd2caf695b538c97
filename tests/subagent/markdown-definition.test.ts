import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSnapshot } from '../../src/snapshot/snapshot.js'
import { definitionFiles, loadDefinition } from '../../src/subagent/definition.js'
import { isUntouchedExport, renderMarkdownDefinition } from '../../src/subagent/markdown-definition.js'

const agents = resolve(import.meta.dirname, '../../agents')
const shipped = [
  'test/test_subagent.yaml',
  ...['analyze_signature', 'read_existing_tests', 'write_test_file', 'run_tests', 'submit'].map(
    (name) => `test/tools/${name}.pym`,
  ),
  'test/context/pytest_config.pym',
]
const withFile = (text: string) =>
  createSnapshot(
    new Map([
      ...shipped.map((name) => [`agents/${name}`, readFileSync(`${agents}/${name}`)] as const),
      ['agents/mine.md', new TextEncoder().encode(text)] as const,
      ['agents/README.md', new TextEncoder().encode('# No definition\n')] as const,
    ]),
  )
const load = (text: string) => loadDefinition(withFile(text), 'agents', 'mine.md')
const head = (lines: string): string =>
  `---\nname: my-writer\ndescription: Writes tests\n${lines}---\n\nWrite good tests.\n`

describe('a definition in Markdown', () => {
  it('has its prompt below the frontmatter, and tools of the definitions beside it', () => {
    const { definition, warnings } = load(head('tools: run_tests, write_test_file\nmodel: openai:gpt-5\n'))
    expect(definition).toMatchObject({
      name: 'my-writer',
      systemPrompt: 'Write good tests.',
      model: { provider: 'openai', model: 'gpt-5' },
      nodeContext: expect.stringContaining('{{ node_text }}'),
    })
    expect(definition.tools.map(({ name }) => name)).toEqual([
      'run_tests',
      'write_test_file',
      'submit_result',
    ])
    expect(warnings).toEqual([])
  })

  it('has all tools where it names none, without those that are disallowed, and the model of their definition', () => {
    const { definition } = load(head('disallowedTools: [write_test_file]\nmodel: inherit\n'))
    expect(definition.tools.map(({ name }) => name)).toEqual([
      'analyze_signature',
      'read_existing_tests',
      'run_tests',
      'submit_result',
    ])
    expect(definition.model).toEqual({ kind: 'endpoint', provider: 'openai', model: 'gpt-5-mini' })
  })

  it('warns of tools of coding agents', () => {
    const { warnings } = load(head('tools: [Read, run_tests]\n'))
    expect(warnings).toMatchObject([
      { file: 'agents/mine.md', line: 4, message: expect.stringContaining('the tool Read') },
    ])
  })

  it.each([
    ['no frontmatter', 'Write.\n', 'there is no frontmatter'],
    ['no end of it', '---\nname: x\n', 'there is no frontmatter'],
    ['no prompt', '---\nname: x\ndescription: y\n---\n\n', 'there is no prompt'],
    ['no name', '---\ndescription: y\n---\nWrite.\n', '`name` is missing'],
    ['none of its tools', head('tools: Read\n'), 'none of its tools is one of autotest'],
  ])('is refused with %s', (_what, text, words) => {
    expect(() => load(text)).toThrow(words)
  })

  it('is found among other files', () => {
    expect(definitionFiles(withFile(head('')), 'agents')).toEqual(['mine.md', 'test/test_subagent.yaml'])
  })
})

describe('an exported definition', () => {
  const { definition } = loadDefinition(withFile(head('')), 'agents', 'test/test_subagent.yaml')
  const text = renderMarkdownDefinition(definition)

  it('loads as the same', () => {
    const again = load(text).definition
    expect(again.tools).toEqual(definition.tools)
    expect(again.systemPrompt).toContain(definition.systemPrompt.trim())
  })

  it('is known as written, until somebody changes it', () => {
    expect(isUntouchedExport(text)).toBe(true)
    expect(isUntouchedExport(text.replace('Assert what', 'Assert carefully what'))).toBe(false)
    expect(isUntouchedExport('# Mine\n')).toBe(false)
  })
})
