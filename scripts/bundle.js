// What `rolldown -c` does, without its list of some two hundred files: whoever installs has no use for it.
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { generateDtsBundle } from 'dts-bundle-generator'
import { build } from 'rolldown'
import config from '../rolldown.config.js'
import { licensesOf } from './licenses.js'
import { addSynchronousStart, codeVersion } from './parser-copy.js'
import { pruneWasm } from './prune-wasm.js'

// Nothing of the build before is packed: neither a chunk by another name nor what --help said.
rmSync('dist', { recursive: true, force: true })
const { output } = await build(config)
writeFileSync('dist/third-party-licenses.txt', licensesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)))
writeTypes('dist/index.d.ts')
copySqlite('dist/sqlite')
// What `--help` prints, which start.js shows as it is.
writeFileSync('dist/cli/help.txt', execFileSync(process.execPath, ['dist/cli/main.js', '--help']))

await writeParser('dist/parser')
addSynchronousStart('dist/parser')
writeFileSync('dist/parser/version.txt', codeVersion(['dist/parser']))

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

/**
 * The SQL library beside 5 MB of WebAssembly that read instead of its 23, most of which write: every process would keep
 * them, and a query is translated where two dialects meet only.
 */
async function writeParser(folder) {
  const library = dirname(createRequire(import.meta.url).resolve('@polyglot-sql/sdk'))
  const reading = /^(?:parse_value|tokenize_value|__wbindgen_.*)$/
  const pruned = pruneWasm(readFileSync(join(library, 'polyglot_sql.wasm')), (name) => reading.test(name))
  await WebAssembly.compile(pruned)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'polyglot_sql.wasm'), pruned)
  copyFileSync(join(library, 'index.cjs'), join(folder, 'index.cjs'))
  copyFileSync(join(library, '../LICENSE'), join(folder, 'LICENSE'))
}
