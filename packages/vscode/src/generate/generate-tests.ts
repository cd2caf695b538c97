import * as vscode from 'vscode'
import { type FunctionPlace, functionAt } from '../functions/function-at-cursor.js'
import type { ParsedFunctions } from '../functions/parsed-functions.js'
import type { TestRegistry } from '../functions/test-registry.js'
import { folderOf, pathIn, unsavedFiles, uriIn } from '../server/paths.js'
import type { GeneratedTest, Survivor } from '../server/protocol.js'
import type { Servers } from '../server/servers.js'
import { withProgress } from '../with-progress.js'
import type { Proposal } from './panel.js'
import type { SurvivorDiagnostics } from './survivor-diagnostics.js'

export interface GenerateContext {
  readonly servers: Servers
  readonly functions: ParsedFunctions
  readonly registry: TestRegistry
  readonly diagnostics: SurvivorDiagnostics
  readonly show: (proposal: Proposal) => void
}

export interface GenerateOptions {
  /** The only change that the tests are to notice. */
  readonly mutant?: number
  readonly seed?: number
}

/** Generates tests for a function, and shows them; undefined stands for what is at the cursor. */
export async function generateTests(
  context: GenerateContext,
  uri: vscode.Uri | undefined,
  qualname: string | undefined,
  options: GenerateOptions = {},
): Promise<void> {
  const place = await functionAt(context.functions, uri, qualname)
  const folder = requireFolder(place)
  const settings = vscode.workspace.getConfiguration('autotest', place.uri)
  const framework = settings.get<string>('generate.framework', 'auto')
  const path = pathIn(folder, place.uri)
  const result = await withProgress(`Generating tests of ${place.qualname}`, (call) =>
    context.servers.request<GeneratedTest>(
      folder,
      'generate_tests',
      {
        function: {
          name: place.qualname.split('.').at(-1),
          qualname: place.qualname,
          filePath: path,
        },
        seconds: settings.get<number>('generate.seconds', 2),
        // One change is searched for: a model is not asked to aim.
        writer: options.mutant === undefined ? settings.get<string>('generate.writer', 'rules') : 'rules',
        unsaved: unsavedFiles(folder),
        ...(framework === 'auto' ? {} : { framework }),
        ...options,
      },
      call,
    ),
  )
  if (result !== undefined) context.show({ folder, path, qualname: place.qualname, result })
}

/** Says in the registry whose tests were written, and shows what they miss. */
export async function recordAccepted(
  context: GenerateContext,
  { folder, path, qualname, result }: Proposal,
): Promise<void> {
  await showSurvivors(context, uriIn(folder, path), qualname, result.mutants.survivors)
  await context.servers.request(folder, 'record_tests', {
    filePath: path,
    function_name: qualname,
    testPath: result.test_file,
    testNames: result.test_names,
  })
  context.registry.refresh()
}

/** Shows the changes of a function that its tests do not notice, as diagnostics. */
export async function findSurvivors(
  context: GenerateContext,
  uri: vscode.Uri | undefined,
  qualname: string | undefined,
): Promise<void> {
  const { servers, functions, registry } = context
  const place = await functionAt(functions, uri, qualname)
  const folder = requireFolder(place)
  const path = pathIn(folder, place.uri)
  const tests = await registry.testsOf(folder, path, place.qualname)
  if (tests === undefined)
    throw new Error(
      `${place.qualname} has no tests that autotest knows of: generate some, or run autotest registry sync`,
    )
  const survivors = await withProgress(`Changing ${place.qualname}, and running its tests`, (call) =>
    servers.request<readonly Survivor[]>(
      folder,
      'surviving_mutants',
      {
        filePath: path,
        function_name: place.qualname,
        testPath: tests.testFile,
        unsaved: unsavedFiles(folder),
      },
      call,
    ),
  )
  if (survivors === undefined) return
  await showSurvivors(context, place.uri, place.qualname, survivors)
  const text =
    survivors.length === 0
      ? `The tests of ${place.qualname} notice every change that was tried.`
      : `${survivors.length} ${survivors.length === 1 ? 'change' : 'changes'} of ${place.qualname} not noticed: see Problems.`
  void vscode.window.showInformationMessage(text)
}

async function showSurvivors(
  { functions, diagnostics }: GenerateContext,
  uri: vscode.Uri,
  qualname: string,
  survivors: readonly Survivor[],
): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri)
  const found = (await functions.of(document)).find((each) => each.qualname === qualname)
  if (found !== undefined) diagnostics.show(document, found, survivors)
}

function requireFolder({ uri }: FunctionPlace): vscode.WorkspaceFolder {
  const folder = folderOf(uri)
  if (folder === undefined)
    throw new Error('Open the folder of the project: autotest runs the tests in a copy of it')
  return folder
}
