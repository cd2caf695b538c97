import { AutotestError } from '../../errors.js'
import type { createProjectService } from './project-service.js'
import type { MethodName, Params, TestResult } from './protocol.js'
import type { PythonService } from './python-service.js'

export interface CallContext {
  readonly signal: AbortSignal
  readonly onProgress: (text: string) => void
  /** Called with what went wrong beside the answer. */
  readonly onLog: (text: string) => void
}

/** Says how a method is answered. */
export type Answer = <Name extends MethodName>(
  name: Name,
  work: (params: Params<Name>, context: CallContext) => unknown,
) => void

/** What the methods need, which is loaded when the first of them is called. */
export interface Services {
  readonly python: PythonService
  readonly project: ReturnType<typeof createProjectService>
  /** Returns a path relative to the project. Throws `python_file` for one outside. */
  readonly relative: (path: string) => Promise<string>
  close(): Promise<void>
}

/** Answers what is asked of the project's Python. */
export function answerPython(on: Answer, service: () => Promise<Services>): void {
  on('parse_file', async ({ filePath, text }) => {
    const { python, relative } = await service()
    return python.parse(await relative(filePath), text)
  })
  on('validate_syntax', async ({ code }) => (await service()).python.validate(code))
  on('parse_python_function', async ({ file_path: path, function_name: name, text }) => {
    const { python, relative } = await service()
    const found = await python.parse(await relative(path), text)
    const named = found.find((each) => each.qualname === name || each.name === name)
    if (named === undefined) throw new AutotestError('function_unknown', `${path} has no function ${name}`)
    return named
  })
  on('gather_project_context', async (_params, { signal }) => (await service()).python.context(signal))
  on('analyze_imports', async ({ file_path: path, function_name: name }, { signal }) => {
    const { python, relative } = await service()
    return python.imports(await relative(path), name, signal)
  })
  on('generate_tests', async (params, { signal, onProgress }) => {
    const services = await service()
    const { function: wanted, framework, seconds = 2, seed = 1, mutant, writer = 'rules' } = params
    const { name, qualname, class_name: owner, filePath } = wanted
    const path = await services.relative(filePath)
    const unsaved = await unsavedFiles({ ...params, filePath }, services)
    const request = { path, qualname: qualname ?? (owner ? `${owner}.${name}` : name), unsaved, signal }
    return services.python.generate({ ...request, framework, seconds, seed, mutant, writer }, onProgress)
  })
  on('run_tests', async (params, { signal, onLog }) => {
    const services = await service()
    const tests = await services.python.runTests({ ...(await testRequest(params, services)), signal })
    await recordResults(services, tests, onLog)
    return tests
  })
  on('test_coverage', async (params, { signal, onLog }) => {
    const services = await service()
    const covered = await services.python.coverage({ ...(await testRequest(params, services)), signal })
    await recordResults(services, covered.tests, onLog)
    return covered
  })
  on('surviving_mutants', async (params, { signal }) => {
    const services = await service()
    const [path, testPath] = await Promise.all([params.filePath, params.testPath].map(services.relative))
    const unsaved = await unsavedFiles(params, services)
    const request = { path: path ?? '', testPath: testPath ?? '', qualname: params.function_name, unsaved }
    return services.python.survivors({ ...request, signal })
  })
  on('record_tests', async (params, { signal }) => {
    const { python, project, relative } = await service()
    const { filePath, function_name: qualname, testPath, testNames: names } = params
    const [path = '', testFile = ''] = await Promise.all([filePath, testPath].map(relative))
    return python.inCopy({ unsaved: [], signal }, (session) =>
      project.recordTests(session, { path, qualname, testFile, names }),
    )
  })
}

/** Answers what is asked of cases, runs, gates and roles. */
export function answerProject(on: Answer, service: () => Promise<Services>): void {
  on('registry', async () => (await service()).project.registry())
  on('cases', async ({ filePath, text }) => {
    const { project, relative } = await service()
    return project.cases(await relative(filePath), text)
  })
  on('run', async (params, { signal, onProgress }) =>
    (await service()).project.run(params, signal, onProgress),
  )
  on('compare', async (params) => (await service()).project.compare(params))
  on('why', async (params) => (await service()).project.why(params))
  on('plan', async (params) => (await service()).project.plan(params))
  on('apply_plan', async (params) => (await service()).project.applyPlan(params))
  on('reject_plan', async (params) => (await service()).project.rejectPlan(params))
  on('gates', async (params) => (await service()).project.gates(params))
  on('answer_gate', async (params) => (await service()).project.answerGate(params))
  on('guardrails_get_context', async (params) => (await service()).project.guidelines(params))
}

/** Returns unsaved texts, relative to the root; `text` is that of the file that is asked about. */
async function unsavedFiles(
  {
    filePath,
    text,
    unsaved = [],
  }: {
    readonly filePath: string
    readonly text?: string | undefined
    readonly unsaved?: readonly { readonly filePath: string; readonly text: string }[] | undefined
  },
  { relative }: Services,
): Promise<{ readonly path: string; readonly text: string }[]> {
  const files = text === undefined ? unsaved : [...unsaved, { filePath, text }]
  return Promise.all(files.map(async (file) => ({ path: await relative(file.filePath), text: file.text })))
}

/** What became of tests is told whether or not it can be kept. */
async function recordResults(
  { project }: Services,
  results: readonly TestResult[],
  onLog: CallContext['onLog'],
): Promise<void> {
  try {
    await project.recordResults(results)
  } catch (error) {
    onLog(`what became of the tests is not kept: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function testRequest(params: Params<'run_tests'>, services: Services) {
  const { testPath, tests = [], seconds } = params
  const unsaved = await unsavedFiles({ ...params, filePath: testPath }, services)
  return { path: await services.relative(testPath), tests, seconds, unsaved }
}
