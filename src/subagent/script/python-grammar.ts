import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Node, Parser } from 'web-tree-sitter'
import { builtModulePath } from '../../platform/built-module.js'

/** A node of a syntax tree. */
export type SyntaxNode = Node

let loading: Promise<Parser> | undefined

/** Returns the root of the syntax tree of a Python text, which may have errors in it. The grammar is loaded once. */
export async function parsePython(text: string): Promise<SyntaxNode> {
  loading ??= load()
  const tree = (await loading).parse(text)
  if (tree === null) throw new Error('the parser for Python returned no tree')
  return tree.rootNode
}

async function load(): Promise<Parser> {
  const { Language, Parser } = await import('web-tree-sitter')
  await Parser.init({ locateFile: () => wasmFile('web-tree-sitter', 'web-tree-sitter.wasm') })
  const parser = new Parser()
  parser.setLanguage(await Language.load(wasmFile('tree-sitter-python', 'tree-sitter-python.wasm')))
  return parser
}

/** Returns a file that the build copies, or that of the package when running from sources that are not built. */
function wasmFile(packageName: string, name: string): string {
  const built = builtModulePath(`grammar/${name}`)
  return existsSync(built) ? built : createRequire(import.meta.url).resolve(`${packageName}/${name}`)
}
