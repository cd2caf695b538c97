const vscode = require('vscode')

exports.activate = (context) => {
  const factory = {
    createDebugAdapterDescriptor: ({ configuration }) =>
      new vscode.DebugAdapterExecutable(configuration.python, ['-m', 'debugpy.adapter']),
  }
  context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory('debugpy', factory))
}
