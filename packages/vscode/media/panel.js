// Tells the extension what was pressed.
const editor = acquireVsCodeApi()
for (const button of document.querySelectorAll('button[data-action]'))
  button.addEventListener('click', () => {
    const { action, line } = button.dataset
    editor.postMessage({ action, line: line === undefined ? undefined : Number(line) })
  })
