import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pruneWasm } from './prune-wasm.js'
import { splitWasm } from './split-wasm.js'

const library = dirname(createRequire(import.meta.url).resolve('@polyglot-sql/sdk'))
const cache = 'node_modules/.cache/sql-library'

/**
 * A folder with the SQL library and what some of its exports need of its 23 MB of WebAssembly, in functions of a size
 * that V8's optimizing compiler takes without hundreds of megabytes. Making it takes seconds, so what was made from the
 * same library by the same scripts is kept.
 */
export async function writeSqlLibrary(folder, exports) {
  const whole = readFileSync(join(library, 'polyglot_sql.wasm'))
  const made = join(cache, `${digestOf(whole, exports)}.wasm`)
  if (!existsSync(made)) {
    const wanted = new RegExp(`^(?:${exports.join('|')}|__wbindgen_.*)$`)
    const module = splitWasm(pruneWasm(whole, (name) => wanted.test(name)))
    await WebAssembly.compile(module)
    mkdirSync(cache, { recursive: true })
    // Named once it is whole: another build may look for it.
    writeFileSync(`${made}.${process.pid}`, module)
    renameSync(`${made}.${process.pid}`, made)
  }
  mkdirSync(folder, { recursive: true })
  copyFileSync(made, join(folder, 'polyglot_sql.wasm'))
  const text = readFileSync(join(library, 'index.cjs'), 'utf8')
  writeFileSync(join(folder, 'index.cjs'), withSynchronousStart(text))
  copyFileSync(join(library, '../LICENSE'), join(folder, 'LICENSE'))
}

/**
 * The library's program with `initSync`: it compiles in the background only, but that a query has to be parsed is known in
 * the middle of comparing. Throws where the text is no longer as expected.
 */
function withSynchronousStart(text) {
  const changes = [
    ['async function __polyglot_init_wasm() {', 'function __polyglot_init_wasm() {'],
    ['__initPromise = (async () => {', '__initPromise = (() => {'],
    [
      'const result = await WebAssembly.instantiate(bytes, __vite__wasmImports);',
      'const result = { instance: new WebAssembly.Instance(new WebAssembly.Module(bytes), __vite__wasmImports) };',
    ],
  ]
  const changed = changes.reduce((before, [from, to]) => {
    if (before.split(from).length !== 2) throw new Error(`the SQL library does not hold once: ${from}`)
    return before.replace(from, to)
  }, text)
  return `${changed}\nmodule.exports.initSync = __polyglot_init_wasm;\n`
}

function digestOf(whole, exports) {
  const digest = createHash('sha256').update(whole).update(exports.join())
  const scripts = ['sql-library.js', 'prune-wasm.js', 'split-wasm.js']
  for (const name of readdirSync(new URL('wasm/', import.meta.url)).sort()) scripts.push(`wasm/${name}`)
  for (const name of scripts) digest.update(readFileSync(new URL(name, import.meta.url)))
  return digest.digest('hex').slice(0, 16)
}
