import { execFileSync } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { autotest, removeFolders, sampleCopy } from '../e2e/sample.js'
import { connect, killServers } from '../e2e/serve-connection.js'
import { rightSource, sourcePath, tddProject } from '../e2e/tdd-project.js'
import { needsPython } from '../needs.js'

afterEach(killServers)
afterAll(removeFolders)

const project = (): string => tddProject({ [sourcePath]: rightSource })
const pipe = (root: string, path: string): void => void execFileSync('mkfifo', [join(root, path)])

/** A server that waits for a pipe never answers the next request either. */
describe('a pipe, socket or device in the place of a file is refused by name', needsPython, () => {
  it.each([
    ['parse_file', (filePath: string) => ({ filePath })],
    ['parse_python_function', (path: string) => ({ file_path: path, function_name: 'f' })],
    ['analyze_imports', (path: string) => ({ file_path: path, function_name: 'f' })],
    ['run_tests', (testPath: string) => ({ testPath })],
    ['test_coverage', (testPath: string) => ({ testPath })],
    ['surviving_mutants', (testPath: string) => ({ filePath: sourcePath, function_name: 'f', testPath })],
    ['generate_tests', (filePath: string) => ({ function: { name: 'f', filePath } })],
    ['cases', (filePath: string) => ({ filePath })],
    ['record_tests', (p: string) => ({ filePath: p, function_name: 'f', testPath: p, testNames: ['t'] })],
  ] as const)('%s', async (method, params) => {
    const root = project()
    pipe(root, 'src/shop/pipe.py')
    const socket = createServer().listen(join(root, 's.py'))
    try {
      const { connection } = connect(root)
      for (const [path, kind] of [
        ['src/shop/pipe.py', 'a named pipe'],
        ['s.py', 'a socket'],
      ] as const)
        await expect(connection.sendRequest(method, params(path))).rejects.toMatchObject({
          code: -32000,
          message: `${path} is ${kind}, not a file`,
        })
      expect(await connection.sendRequest('parse_file', { filePath: sourcePath })).toHaveLength(2)
    } finally {
      socket.close()
    }
  })

  it.each([
    'autotest.registry.json',
    'autotest.config.yaml',
    'agents/guidelines/g.json',
    'agents/coder.yaml',
  ])('%s', async (path) => {
    const root = project()
    execFileSync('mkdir', ['-p', join(root, 'agents/guidelines')])
    pipe(root, path)
    const { connection } = connect(root)
    const method = path.endsWith('registry.json') ? 'registry' : 'guardrails_get_context'
    await expect(connection.sendRequest(method, { agent: 'coder' })).rejects.toMatchObject({
      message: expect.stringMatching(/is a named pipe, not a file|not a regular file/),
    })
  })
})

it('a benchmark that is a pipe ends a run with its name', async () => {
  const root = sampleCopy()
  pipe(root, 'benchmarks/pipe.yaml')
  const { code, out, err } = await autotest(root, ['--benchmark', 'benchmarks/pipe.yaml', '--no-repair'])
  expect([code, `${out}${err}`]).toEqual([2, expect.stringMatching(/pipe\.yaml is not a regular file/)])
})

it.each([
  ['the database', ['--engine', 'sqlite:pipe', '--no-repair'], 3],
  ['the agent', ['--agent', 'module:pipe', '--no-repair'], 2],
  ['a plan', ['apply', 'pipe'], 2],
])('%s that is a pipe ends a run with its name', async (_what, args, expected) => {
  const root = sampleCopy()
  pipe(root, 'pipe')
  const { code, err } = await autotest(root, args)
  expect([code, err]).toEqual([
    expected,
    expect.stringMatching(/pipe is a named pipe, not a|pipe: cannot read a plan/),
  ])
})
