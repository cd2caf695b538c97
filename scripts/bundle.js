// What `rolldown -c` does, without its list of some two hundred files: whoever installs has no use for it.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'rolldown'
import config from '../rolldown.config.js'
import { addSynchronousStart, codeVersion } from './parser-copy.js'
import { pruneWasm } from './prune-wasm.js'

// What `--help` prints, which main.js shows as it is: not that of the build before.
const help = 'dist/cli/help.txt'
rmSync(help, { force: true })
await build(config)
writeFileSync(help, execFileSync(process.execPath, ['dist/cli/main.js', '--help']))

await writeParser('dist/parser')
addSynchronousStart('dist/parser')
writeFileSync('dist/parser/version.txt', codeVersion(['dist/parser']))

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
