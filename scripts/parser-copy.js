import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Gives the copy of the SQL library in a folder `initSync`: the library itself compiles in the background only, but that a
 * query has to be parsed is known in the middle of comparing. Throws where the library's text is no longer as expected.
 *
 * @param {string} folder with `index.cjs`
 */
export function addSynchronousStart(folder) {
  const file = join(folder, 'index.cjs')
  let text = readFileSync(file, 'utf8')
  for (const [from, to] of [
    ['async function __polyglot_init_wasm() {', 'function __polyglot_init_wasm() {'],
    ['__initPromise = (async () => {', '__initPromise = (() => {'],
    [
      'const result = await WebAssembly.instantiate(bytes, __vite__wasmImports);',
      'const result = { instance: new WebAssembly.Instance(new WebAssembly.Module(bytes), __vite__wasmImports) };',
    ],
  ]) {
    if (text.split(from).length !== 2) throw new Error(`${file} does not hold once: ${from}`)
    text = text.replace(from, to)
  }
  writeFileSync(file, `${text}\nmodule.exports.initSync = __polyglot_init_wasm;\n`)
}

/**
 * Digest of all that decides what a query is read as: the library's copies and the sources that read its trees. What an
 * earlier run kept of a query is used under the same digest only.
 *
 * @param {readonly string[]} folders of the library's copies
 */
export function codeVersion(folders) {
  const files = [
    ...folders.flatMap((folder) => [join(folder, 'index.cjs'), join(folder, 'polyglot_sql.wasm')]),
    ...sources('src/sql').sort(),
    'src/dialect.ts',
  ]
  const digest = createHash('sha256')
  for (const file of files) digest.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return digest.digest('hex')
}

function sources(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
}
