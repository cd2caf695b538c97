import type * as vscode from 'vscode'
import { errorCodeOf } from '../server/describe-error.js'
import { folderOf, pathIn } from '../server/paths.js'
import type { ParsedFunction } from '../server/protocol.js'
import type { Servers } from '../server/servers.js'
import { movedFunctions } from './moved-functions.js'

interface Parsed {
  readonly version: number
  readonly functions: Promise<readonly ParsedFunction[]>
}

/** The functions of open documents, unsaved text included; each version of a document is parsed once. */
export class ParsedFunctions {
  readonly #servers: Servers
  readonly #parsed = new Map<string, Parsed>()
  readonly #lastGood = new Map<string, readonly ParsedFunction[]>()

  constructor(servers: Servers) {
    this.#servers = servers
  }

  /** Returns the functions of a document; of one that cannot be parsed at the moment, those that it had. */
  of(document: vscode.TextDocument): Promise<readonly ParsedFunction[]> {
    const key = document.uri.toString()
    const known = this.#parsed.get(key)
    if (known?.version === document.version) return known.functions
    const functions = this.#parse(document)
    this.#parsed.set(key, { version: document.version, functions })
    functions.catch(() => {
      // The next request tries again.
      if (this.#parsed.get(key)?.functions === functions) this.#parsed.delete(key)
    })
    return functions
  }

  forget(document: vscode.TextDocument): void {
    this.#parsed.delete(document.uri.toString())
    this.#lastGood.delete(document.uri.toString())
  }

  /** Forgets everything: another server or Python may see it otherwise. */
  clear(): void {
    this.#parsed.clear()
  }

  async #parse(document: vscode.TextDocument): Promise<readonly ParsedFunction[]> {
    const folder = folderOf(document.uri)
    if (folder === undefined) return []
    const key = document.uri.toString()
    const text = document.getText()
    try {
      const params = { filePath: pathIn(folder, document.uri), text, version: document.version }
      const found = await this.#servers.request<readonly ParsedFunction[]>(folder, 'parse_file', params)
      this.#lastGood.set(key, found)
      return found
    } catch (error) {
      if (errorCodeOf(error) !== 'python_syntax') throw error
      return movedFunctions(this.#lastGood.get(key) ?? [], text.split('\n'))
    }
  }
}
