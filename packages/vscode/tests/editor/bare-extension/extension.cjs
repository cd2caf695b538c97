const vscode = require('vscode')

exports.activate = (context) => {
  const changed = new vscode.EventEmitter()
  const provider = {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses(document) {
      if (!vscode.workspace.getConfiguration('bare').get('enabled')) return []
      const lenses = []
      for (let line = 0; line < document.lineCount; line++) {
        const name = /^\s*def (\w+)/.exec(document.lineAt(line).text)?.[1]
        if (name === undefined) continue
        const range = new vscode.Range(line, 0, line, 0)
        lenses.push(
          new vscode.CodeLens(range, { title: 'Bare', tooltip: `for ${name},`, command: 'bare.nothing' }),
        )
      }
      return lenses
    },
  }
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(() => changed.fire()),
    vscode.commands.registerCommand('bare.nothing', () => undefined),
    vscode.languages.registerCodeLensProvider({ language: 'python', scheme: 'file' }, provider),
  )
}
