// What `rolldown -c` does, without its list of some two hundred files: whoever installs has no use for it.
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { generateDtsBundle } from 'dts-bundle-generator'
import { build } from 'rolldown'
import config from '../rolldown.config.js'
import { codeVersion } from './code-version.js'
import { licensesOf, packagesOf } from './licenses.js'
import { writeSqlLibrary } from './sql-library.js'

// Nothing of the build before is packed: neither a chunk by another name nor what --help said.
rmSync('dist', { recursive: true, force: true })
const parts = []
for (const part of config) parts.push(await build(part))
const bundled = parts.flatMap(({ output }) => output).flatMap(({ moduleIds = [] }) => moduleIds)
writeFileSync('dist/third-party-licenses.txt', licensesOf(bundled))
// What scripts/sbom.js lists: beside the bundle, what is copied into it.
const copied = ['better-sqlite3', 'web-tree-sitter', 'tree-sitter-python', '@polyglot-sql/sdk']
writeFileSync(
  'build/bundled-packages.json',
  JSON.stringify(packagesOf([...bundled, ...copied.map(anyFileOf)])),
)
writeTypes('dist/index.d.ts')
copySqlite('dist/sqlite')
// The grammar that tool scripts are checked with.
for (const file of ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-python/tree-sitter-python.wasm'])
  cpSync(createRequire(import.meta.url).resolve(file), join('dist/grammar', file.split('/')[1]))
// The style of the HTML report.
cpSync('packages/report-page/src/page.css', 'dist/report/page.css')
// What runs in a project's own Python.
for (const file of [
  'testgen/python/autotest_worker',
  'testgen/python/start_worker.py',
  'sandbox/python/autotest_sandbox',
])
  cpSync(join('src', file), join('dist/python', file.split('/').at(-1)), {
    recursive: true,
    filter: (each) => !each.includes('__pycache__'),
  })

// What reads, which a process loads for a query that was never read, and what translates, which it loads where two dialects meet.
await writeSqlLibrary('dist/parser', ['parse_value', 'tokenize_value'])
await writeSqlLibrary('dist/translator', [
  'parse_value',
  'tokenize_value',
  'generate_value',
  'transpile_with_options_value',
])
writeFileSync('dist/parser/version.txt', codeVersion('dist'))

function anyFileOf(name) {
  return join(process.cwd(), 'node_modules', name, 'package.json')
}

/** The types of the library in one file, from those that the compiler wrote of every module. */
function writeTypes(file) {
  const options = { preferredConfigPath: 'tsconfig.json', followSymlinks: false }
  const [types] = generateDtsBundle(
    [{ filePath: 'build/modules/index.d.ts', output: { noBanner: true, exportReferencedTypes: false } }],
    options,
  )
  writeFileSync(file, types)
}

/**
 * better-sqlite3 13 with its binaries, for every Node with Node-API 10. As a dependency it would be 10 MB larger, and
 * `npm ci` and Yarn run node-gyp for it, which leaves it out, or fails, where there is no python3.
 */
function copySqlite(folder) {
  const driver = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'))
  for (const part of ['package.json', 'LICENSE', 'lib', 'prebuilds']) {
    cpSync(join(driver, part), join(folder, part), { recursive: true })
  }
}
