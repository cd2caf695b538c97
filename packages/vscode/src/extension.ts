import * as vscode from 'vscode'
import { ResponseError } from 'vscode-jsonrpc'
import {
  acceptPlan,
  type CaseContext,
  planRepair,
  rejectPlan,
  runCase,
  showPlan,
  whyCase,
} from './benchmark/case-commands.js'
import { CaseLenses } from './benchmark/case-lenses.js'
import { functionAt } from './functions/function-at-cursor.js'
import { FunctionLenses } from './functions/function-lenses.js'
import { ParsedFunctions } from './functions/parsed-functions.js'
import { TestRegistry } from './functions/test-registry.js'
import { answerGate, openGates } from './gates/answer-gate.js'
import {
  findSurvivors,
  type GenerateContext,
  type GenerateOptions,
  generateTests,
  recordAccepted,
} from './generate/generate-tests.js'
import { TestPanel } from './generate/panel.js'
import { SurvivorDiagnostics } from './generate/survivor-diagnostics.js'
import { describeError, isEnvironmentProblem } from './server/describe-error.js'
import { howToGetServer } from './server/find-server.js'
import { folderOf, pathIn } from './server/paths.js'
import { onPythonChange } from './server/python-interpreter.js'
import { ServerMissing, Servers } from './server/servers.js'
import { Status, showStatus } from './status.js'
import { Testing } from './testing/testing.js'
import { Texts } from './texts.js'
import { writeFiles } from './write-files.js'

let servers: Servers | undefined

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('autotest', { log: true })
  const running = new Servers(log)
  servers = running
  const ask = explainMissingServer(log)
  const shown = new Set<string>()
  const onProblem = (error: unknown, folder: vscode.WorkspaceFolder): void => {
    if (error instanceof ServerMissing) {
      ask()
      return
    }
    const text = `${folder.name}: ${describeError(error)}`
    log.error(text)
    // A lens that is not there says nothing by itself.
    if (isEnvironmentProblem(error) && !shown.has(text)) {
      shown.add(text)
      void vscode.window.showWarningMessage(text)
    }
  }
  const fail = (error: unknown): void => {
    if (error instanceof ServerMissing) {
      ask(true)
      return
    }
    const text = describeError(error)
    log.error(text)
    // What the user can see and do needs no log.
    if (!(error instanceof ResponseError)) {
      void vscode.window.showErrorMessage(text)
      return
    }
    void vscode.window.showErrorMessage(text, 'Show Log').then((choice) => {
      if (choice !== undefined) log.show()
    })
  }
  const functions = new ParsedFunctions(running)
  const registry = new TestRegistry(running)
  const diagnostics = new SurvivorDiagnostics()
  const texts = new Texts()
  const status = new Status(running)
  const lenses = new FunctionLenses(functions, registry, onProblem)
  const caseLenses = new CaseLenses(running, onProblem)
  const testing = new Testing({ servers: running, functions, registry, onProblem })
  const panel = new TestPanel(context.extensionUri, texts, {
    accept: ({ folder, result }) => writeFiles(folder, result.files),
    accepted: (proposal) => recordAccepted(generating, proposal),
    regenerate: ({ folder, path, qualname }) =>
      generateTests(generating, vscode.Uri.joinPath(folder.uri, path), qualname, {
        seed: 1 + Math.floor(Math.random() * 1_000_000),
      }),
    fail,
  })
  const generating: GenerateContext = {
    ...{ servers: running, functions, registry, diagnostics },
    show: (proposal) => panel.show(proposal),
  }
  const updateGates = async (folder: vscode.WorkspaceFolder): Promise<void> =>
    status.setGates(folder, (await openGates(running, [folder])).length)
  const cases: CaseContext = {
    ...{ servers: running, lenses: caseLenses, texts },
    onDidRun: (folder) => void updateGates(folder).catch((error) => onProblem(error, folder)),
  }
  const refresh = (): void => {
    functions.clear()
    registry.refresh()
    caseLenses.refresh()
  }
  const restart = async (): Promise<void> => {
    await running.restart(vscode.workspace.workspaceFolders ?? [])
    refresh()
  }

  const commands: Readonly<Record<string, (...args: never[]) => Promise<void>>> = {
    generateTests: (uri?: vscode.Uri, name?: unknown, options?: GenerateOptions) =>
      // A context menu gives other arguments.
      generateTests(generating, uri, typeof name === 'string' ? name : undefined, options ?? {}),
    findSurvivors: (uri?: vscode.Uri, name?: unknown) =>
      findSurvivors(generating, uri, typeof name === 'string' ? name : undefined),
    async runTestsOfFunction(uri?: vscode.Uri, name?: string) {
      const place = await functionAt(functions, uri, name)
      const folder = folderOf(place.uri)
      if (folder === undefined) throw new Error('Open the folder of the project')
      const tests = await registry.testsOf(folder, pathIn(folder, place.uri), place.qualname)
      if (tests !== undefined) return testing.runNamed(folder, tests.testFile, tests.testNames)
      const generate = 'Generate Tests'
      const choice = await vscode.window.showInformationMessage(
        `${place.qualname} has no tests that autotest knows of.`,
        generate,
      )
      if (choice === generate) await generateTests(generating, place.uri, place.qualname)
    },
    runCase: (uri?: vscode.Uri, id?: string) => runCase(cases, uri, id),
    whyCase: (uri?: vscode.Uri, id?: string) => whyCase(cases, uri, id),
    planRepair: (uri?: vscode.Uri, id?: string) => planRepair(cases, uri, id),
    showPlan: (uri?: vscode.Uri, id?: string, run?: string) => showPlan(cases, uri, id, run),
    acceptPlan: (uri?: vscode.Uri, id?: string, run?: string) => acceptPlan(cases, uri, id, run),
    rejectPlan: (uri?: vscode.Uri, id?: string, run?: string) => rejectPlan(cases, uri, id, run),
    async answerGate() {
      const folders = vscode.workspace.workspaceFolders ?? []
      if (await answerGate(running, folders)) caseLenses.refresh()
      await Promise.all(folders.map(updateGates))
    },
    restartServer: restart,
    async showLog() {
      log.show()
    },
    showStatus: () => showStatus(running),
  }

  context.subscriptions.push(
    ...[log, registry, diagnostics, texts, status, lenses, caseLenses, testing, panel],
    ...Object.entries(commands).map(([name, work]) =>
      vscode.commands.registerCommand(`autotest.${name}`, async (...args: unknown[]) => {
        try {
          await work(...(args as never[]))
        } catch (error) {
          fail(error)
        }
      }),
    ),
    vscode.languages.registerCodeLensProvider({ language: 'python', scheme: 'file' }, lenses),
    vscode.languages.registerCodeLensProvider({ language: 'yaml', scheme: 'file' }, caseLenses),
    vscode.languages.registerCodeActionsProvider({ language: 'python', scheme: 'file' }, diagnostics, {
      providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
    }),
    vscode.workspace.registerTextDocumentContentProvider(Texts.scheme, texts),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => texts.forget(uri)),
    vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => {
      for (const folder of removed) void running.closeFolder(folder)
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (['server', 'node', 'python'].some((name) => event.affectsConfiguration(`autotest.${name}`)))
        void restart()
      else if (event.affectsConfiguration('autotest.codeLens')) {
        lenses.refresh()
        caseLenses.refresh()
      }
    }),
  )
  void onPythonChange(() => void restart()).then((listening) => {
    if (listening !== undefined) context.subscriptions.push(listening)
  })
}

export async function deactivate(): Promise<void> {
  await servers?.dispose()
}

/** Returns a function that says that the server is missing and how to get it: once by itself, and whenever a command needs it. */
function explainMissingServer(log: vscode.LogOutputChannel): (again?: boolean) => void {
  let isShown = false
  return (again = false) => {
    if (isShown && !again) return
    isShown = true
    const text =
      'autotest needs its server, which was found neither in node_modules of the project nor on PATH. It is built from a clone of autotest.'
    log.warn(`${text}\n${howToGetServer.join('\n')}`)
    const copy = 'Copy Commands'
    const settings = 'Set Its Path'
    void vscode.window.showInformationMessage(text, copy, settings).then((choice) => {
      if (choice === copy) void vscode.env.clipboard.writeText(`${howToGetServer.join('\n')}\n`)
      else if (choice === settings)
        void vscode.commands.executeCommand('workbench.action.openSettings', 'autotest.server.path')
    })
  }
}
