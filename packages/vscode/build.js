// One file for the extension host, with all that it imports but the editor's own API.
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
rmSync(at('dist'), { recursive: true, force: true })
await build({
  input: at('src/extension.ts'),
  platform: 'node',
  external: ['vscode'],
  output: { file: at('dist/extension.cjs'), format: 'cjs', minify: false },
})
