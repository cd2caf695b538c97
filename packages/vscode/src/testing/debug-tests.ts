import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import * as vscode from 'vscode'
import { chosenPython } from '../server/python-interpreter.js'
import { junitResults } from './junit-results.js'
import { filesOf, type RunContext, report, type TestFileRun } from './run-tests.js'

const debugType = 'debugpy'
const debuggerId = 'ms-python.debugpy'

/** Runs tests under the Python debugger, in the project itself: a debugger cannot reach into the sandbox. */
export async function debugTests(
  context: RunContext,
  request: vscode.TestRunRequest,
  token: vscode.CancellationToken,
): Promise<void> {
  if (!hasDebugger()) {
    const show = 'Show Python Debugger'
    const choice = await vscode.window.showErrorMessage(
      'Debugging tests needs the extension Python Debugger (ms-python.debugpy).',
      show,
    )
    if (choice === show) await vscode.commands.executeCommand('workbench.extensions.search', debuggerId)
    return
  }
  const run = context.controller.createTestRun(request)
  try {
    for (const file of await filesOf(context, request)) {
      if (token.isCancellationRequested) break
      await debugFile(run, file, token)
    }
  } finally {
    run.end()
  }
}

async function debugFile(
  run: vscode.TestRun,
  { folder, path, items }: TestFileRun,
  token: vscode.CancellationToken,
): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'autotest-debug-'))
  try {
    const file = join(scratch, 'results.xml')
    const ids = [...items.keys()].map((name) => `${path}::${name}`)
    for (const item of items.values()) run.started(item)
    await session(run, folder, [...ids, `--junitxml=${file}`], token)
    const xml = await readFile(file, 'utf8').catch(() => '')
    report(run, folder, path, items, junitResults(xml, ids))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Starts a session, and waits for its end. */
async function session(
  run: vscode.TestRun,
  folder: vscode.WorkspaceFolder,
  args: readonly string[],
  token: vscode.CancellationToken,
): Promise<void> {
  const name = 'autotest: debug tests'
  const python = await chosenPython(folder)
  const configuration: vscode.DebugConfiguration = {
    ...{
      type: debugType,
      request: 'launch',
      name,
      module: 'pytest',
      args: ['-p', 'no:cacheprovider', ...args],
    },
    ...{ cwd: folder.uri.fsPath, console: 'internalConsole', justMyCode: true },
    // As the server runs them: sources can be imported without being installed.
    env: {
      PYTHONPATH: ['.', 'src', 'lib'].map((each) => join(folder.uri.fsPath, each)).join(delimiter),
    },
    ...(python === undefined ? {} : { python }),
  }
  const ended = new Promise<void>((resolve) => {
    const subscriptions = [
      vscode.debug.onDidTerminateDebugSession((each) => {
        if (each.name === name && each.parentSession === undefined) finish()
      }),
      token.onCancellationRequested(() => void vscode.debug.stopDebugging()),
    ]
    const finish = (): void => {
      for (const each of subscriptions) each.dispose()
      resolve()
    }
  })
  if (!(await vscode.debug.startDebugging(folder, configuration, { testRun: run })))
    throw new Error('the debugger did not start')
  await ended
}

function hasDebugger(): boolean {
  return vscode.extensions.all.some(({ packageJSON }) => {
    const debuggers: unknown = packageJSON?.contributes?.debuggers
    return Array.isArray(debuggers) && debuggers.some((each) => each?.type === debugType)
  })
}
