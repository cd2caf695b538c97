// One file a command instead of some six hundred modules: half of a short run was spent opening them.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'rolldown'

export default defineConfig({
  input: {
    'cli/main': 'src/cli/main.ts',
    'engine/child': 'src/engine/child.ts',
    'engine/child/parent-watch': 'src/engine/child/parent-watch.ts',
    'agent/module-worker': 'src/agent/module-worker.ts',
  },
  platform: 'node',
  // The copy inside cliui measures plain ASCII with the emoji tables too, which is half of what --help takes.
  resolve: { alias: { 'string-width': fileURLToPath(import.meta.resolve('string-width')) } },
  // Native code and WebAssembly stay where npm put them.
  external: [/^better-sqlite3$/, /^@duckdb\//, /^@polyglot-sql\//],
  output: { dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name].js', sourcemap: true },
})
