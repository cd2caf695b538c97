// One file a command instead of some six hundred modules: half of a short run was spent opening them. And one library
// with all that it imports: who installs it gets no other packages than those with native code.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'rolldown'

export default defineConfig({
  input: {
    index: 'src/index.ts',
    'cli/main': 'src/cli/main.ts',
    'cli/start': 'src/cli/start.ts',
    'engine/child': 'src/engine/child.ts',
    'engine/child/parent-watch': 'src/engine/child/parent-watch.ts',
    'agent/module-worker': 'src/agent/module-worker.ts',
  },
  platform: 'node',
  // One way to measure text. The packages that yargs brings build the table of all emoji when they are loaded, and once
  // more at the first … or ✓: that is a third of what --help takes.
  resolve: {
    alias: {
      'string-width': fileURLToPath(import.meta.resolve('fast-string-width')),
      // The same sources as ES modules: functions inside a CommonJS wrapper are read twice before they run.
      yaml: fileURLToPath(new URL('./node_modules/yaml/browser/index.js', import.meta.url)),
      'wrap-ansi': fileURLToPath(new URL('./scripts/wrap-ansi.js', import.meta.url)),
    },
  },
  // Native code stays where npm put it.
  external: [/^@duckdb\//],
  // No source maps, which would be the larger part of the package: names are kept and each part says where it is from,
  // so a stack trace can be read as it is.
  output: { dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name].js' },
})
