// A few files instead of some six hundred modules: half of a short run was spent opening them. And one library with all that
// it imports: who installs it gets no other packages than those with native code.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'rolldown'

const shared = {
  platform: 'node',
  // One way to measure text. The packages that yargs brings build the table of all emoji when they are loaded, and once
  // more at the first … or ✓: that is a third of what --help takes.
  resolve: {
    alias: {
      'string-width': fileURLToPath(import.meta.resolve('fast-string-width')),
      // The same sources as ES modules: functions inside a CommonJS wrapper are read twice before they run.
      yaml: fileURLToPath(new URL('./node_modules/yaml/browser/index.js', import.meta.url)),
      // Its other form asks for its parts by a function that a bundle has not.
      'jsonc-parser': fileURLToPath(new URL('./node_modules/jsonc-parser/lib/esm/main.js', import.meta.url)),
      'wrap-ansi': fileURLToPath(new URL('./scripts/wrap-ansi.js', import.meta.url)),
    },
  },
  // Native code stays where npm put it.
  external: [/^@duckdb\//, /^@pydantic\//, 'pg', /^mysql2/],
  // Emscripten's own, in the parser for tool scripts: it is not given what it would evaluate.
  checks: { eval: false },
  // Whoever imports one name of a room's index loads the module that defines it, and not the whole room.
  treeshake: { moduleSideEffects: [{ test: /\/src\/sql\/index\.ts$/, sideEffects: false }] },
}
// No source maps, which would be the larger part of the package: names are kept and each part says where it is from,
// so a stack trace can be read as it is.
const output = { dir: 'dist', format: 'esm' }

/** What runs in the user's process, and the library. */
const program = {
  ...shared,
  input: { index: 'src/index.ts', 'cli/main': 'src/cli/main.ts', 'cli/start': 'src/cli/start.ts' },
  output: {
    ...output,
    chunkFileNames: 'chunks/[name].js',
    // Some hundred small files took a tenth of a short run to find and open. What a run loads together is one file;
    // each group takes along what it imports, the first group first. What is loaded on demand (a model as agent or judge, and
    // with it SQLite) is in no group: all that a file holds is run when it is loaded.
    codeSplitting: {
      groups: [
        { name: 'terminal', test: /src\/cli\/terminal\.ts$/, priority: 4 },
        {
          name: 'run',
          test: /src\/(?:cli\/(?:program|commands\/run)|app\/(?:compose|run\/perform-run))\.ts$/,
          priority: 3,
        },
        {
          name: 'scoring',
          test: /src\/(?:compare\/(?!judge\/llm-judge)|sql\/|run\/|contracts\/|domains\/sql\/[^/]*\.ts$|agent\/(?:open|template|module)\.ts$)/,
          priority: 2,
        },
        {
          name: 'repair',
          test: /src\/(?:repair\/|domains\/sql\/repair\/(?!propose\/llm\/)|edit\/|git\/)/,
          priority: 1,
        },
      ],
    },
  },
}

/** What is started as a process or thread of its own, which must not load what only the program needs. */
const children = {
  ...shared,
  input: {
    'engine/child/main': 'src/engine/child/main.ts',
    'engine/child/server-main': 'src/engine/child/server-main.ts',
    'engine/child/parent-watch': 'src/engine/child/parent-watch.ts',
    'agent/module-worker': 'src/agent/module-worker.ts',
    'subagent/interpreter-process': 'src/subagent/script/interpreter-process.ts',
  },
  output: { ...output, chunkFileNames: 'engine/child/[name].js' },
}

/** The program of the HTML report, which is put into each page: one script without imports. */
const reportPage = {
  platform: 'browser',
  input: 'packages/report-page/src/main.ts',
  output: { file: 'dist/report/page.js', format: 'iife', minify: true },
}

export default defineConfig([program, children, reportPage])
