import * as vscode from 'vscode'

/** The part of the Python extension's API that is used here. */
interface PythonExtensionApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string }
    resolveEnvironment(path: {
      readonly path: string
    }): Promise<{ readonly executable: { readonly uri?: vscode.Uri | undefined } } | undefined>
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>
  }
}

const extensionId = 'ms-python.python'

/** Returns the Python of a folder: as in the settings, else as chosen in the Python extension; undefined leaves it to the server. */
export async function chosenPython(folder: vscode.WorkspaceFolder): Promise<string | undefined> {
  const configured = vscode.workspace.getConfiguration('autotest', folder).get<string>('python.path', '')
  if (configured !== '') return configured
  const api = await pythonExtension()
  if (api === undefined) return undefined
  const environment = await api.environments.resolveEnvironment(
    api.environments.getActiveEnvironmentPath(folder.uri),
  )
  return environment?.executable.uri?.fsPath
}

/** Calls back when another interpreter is chosen in the Python extension. */
export async function onPythonChange(changed: () => void): Promise<vscode.Disposable | undefined> {
  return (await pythonExtension())?.environments.onDidChangeActiveEnvironmentPath(changed)
}

async function pythonExtension(): Promise<PythonExtensionApi | undefined> {
  const extension = vscode.extensions.getExtension<Partial<PythonExtensionApi>>(extensionId)
  const api = await extension?.activate()
  return api?.environments === undefined ? undefined : (api as PythonExtensionApi)
}
