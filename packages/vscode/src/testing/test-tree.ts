import * as vscode from 'vscode'
import type { ParsedFunctions } from '../functions/parsed-functions.js'
import { folderOf, isTestFile, pathIn } from '../server/paths.js'
import type { ParsedFunction } from '../server/protocol.js'

/** What an item of the tree stands for. */
export interface TestPlace {
  readonly folder: vscode.WorkspaceFolder
  /** Of the test file, relative to the folder. */
  readonly path: string
  /** Within the file, as `TestAdd::test_two`; undefined for the file itself, and for a class. */
  readonly test: string | undefined
}

const testFiles = '**/{test_*,*_test}.py'
const notSearched = '**/{node_modules,.venv,venv,env,.tox,.nox,.git,site-packages,__pycache__}/**'
const mostFiles = 5000

/** The tree of tests: files, classes, tests. Files are found by their names; what is in them is read when it is first shown. */
export class TestTree implements vscode.Disposable {
  readonly #controller: vscode.TestController
  readonly #functions: ParsedFunctions
  readonly #places = new WeakMap<vscode.TestItem, TestPlace>()
  readonly #subscriptions: vscode.Disposable[]

  constructor(
    controller: vscode.TestController,
    functions: ParsedFunctions,
    onProblem: (error: unknown, folder: vscode.WorkspaceFolder) => void,
  ) {
    this.#controller = controller
    this.#functions = functions
    const read = (document: vscode.TextDocument): void => {
      const folder = folderOf(document.uri)
      if (folder === undefined || document.languageId !== 'python' || !isTestFile(document.uri.path)) return
      this.#read(this.#fileItem(document.uri, folder), document).catch((error) => onProblem(error, folder))
    }
    controller.resolveHandler = async (item) => {
      if (item === undefined) await this.findFiles()
      else await this.resolve(item)
    }
    controller.refreshHandler = () => this.findFiles()
    const watcher = vscode.workspace.createFileSystemWatcher(testFiles)
    const later = delayed(read)
    this.#subscriptions = [
      watcher,
      later,
      watcher.onDidCreate((uri) => this.#changed(uri)),
      watcher.onDidChange((uri) => this.#changed(uri)),
      watcher.onDidDelete((uri) => controller.items.delete(uri.toString())),
      vscode.workspace.onDidOpenTextDocument(read),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) later.call(document)
      }),
    ]
    for (const document of vscode.workspace.textDocuments) read(document)
  }

  placeOf(item: vscode.TestItem): TestPlace | undefined {
    return this.#places.get(item)
  }

  /** Returns the item of a test that is in the tree, by its folder, file and name. */
  find(folder: vscode.WorkspaceFolder, nodeid: string): vscode.TestItem | undefined {
    const [path = '', ...names] = nodeid.split('::')
    let item = this.#controller.items.get(vscode.Uri.joinPath(folder.uri, path).toString())
    for (const name of names) item = item?.children.get(`${item.id}::${name}`)
    return item
  }

  /** Reads the file of an item, so that its tests are in the tree. */
  async resolve(item: vscode.TestItem): Promise<void> {
    const place = this.#places.get(item)
    if (place === undefined || item.uri === undefined || item.parent !== undefined) return
    await this.#read(item, await vscode.workspace.openTextDocument(item.uri))
  }

  /** Returns the item of a test file, which is made where there is none. */
  async file(folder: vscode.WorkspaceFolder, path: string): Promise<vscode.TestItem> {
    const item = this.#fileItem(vscode.Uri.joinPath(folder.uri, path), folder)
    await this.resolve(item)
    return item
  }

  /** Returns the tests at and below an item. */
  async testsBelow(item: vscode.TestItem): Promise<vscode.TestItem[]> {
    if (item.canResolveChildren && item.children.size === 0) await this.resolve(item)
    const found: vscode.TestItem[] = []
    const visit = (each: vscode.TestItem): void => {
      if (this.#places.get(each)?.test !== undefined) found.push(each)
      for (const [, child] of each.children) visit(child)
    }
    visit(item)
    return found
  }

  /** Puts all test files into the tree, by their names. */
  async findFiles(): Promise<void> {
    const found = await vscode.workspace.findFiles(testFiles, notSearched, mostFiles)
    const known = new Set(found.map((uri) => uri.toString()))
    for (const [id] of this.#controller.items) if (!known.has(id)) this.#controller.items.delete(id)
    for (const uri of found) {
      const folder = folderOf(uri)
      if (folder !== undefined) this.#fileItem(uri, folder)
    }
  }

  dispose(): void {
    for (const each of this.#subscriptions) each.dispose()
  }

  #fileItem(uri: vscode.Uri, folder: vscode.WorkspaceFolder): vscode.TestItem {
    const known = this.#controller.items.get(uri.toString())
    if (known !== undefined) return known
    const path = pathIn(folder, uri)
    const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1
    const item = this.#controller.createTestItem(
      uri.toString(),
      several ? `${folder.name}/${path}` : path,
      uri,
    )
    item.canResolveChildren = true
    this.#places.set(item, { folder, path, test: undefined })
    this.#controller.items.add(item)
    return item
  }

  /** A file that is not open is read again when it is next shown. */
  #changed(uri: vscode.Uri): void {
    const folder = folderOf(uri)
    if (folder === undefined) return
    const item = this.#fileItem(uri, folder)
    if (item.children.size > 0) void this.resolve(item).catch(() => undefined)
  }

  async #read(file: vscode.TestItem, document: vscode.TextDocument): Promise<void> {
    const place = this.#places.get(file)
    if (place === undefined) return
    const functions = await this.#functions.of(document)
    const classes = new Map<string, vscode.TestItem>()
    const top: vscode.TestItem[] = []
    const members = new Map<vscode.TestItem, vscode.TestItem[]>()
    for (const each of functions.filter(isTest)) {
      const parts = each.qualname.split('.')
      let owner: vscode.TestItem | undefined
      for (const [at, name] of parts.slice(0, -1).entries()) {
        const full = parts.slice(0, at + 1).join('::')
        const known = classes.get(full) ?? this.#item(file, full, name, document, undefined, place)
        if (!classes.has(full)) {
          classes.set(full, known)
          if (owner === undefined) top.push(known)
          else members.set(owner, [...(members.get(owner) ?? []), known])
        }
        owner = known
      }
      const item = this.#item(file, parts.join('::'), each.name, document, each, place)
      if (owner === undefined) top.push(item)
      else members.set(owner, [...(members.get(owner) ?? []), item])
    }
    for (const [owner, items] of members) owner.children.replace(items)
    file.children.replace(top)
  }

  #item(
    file: vscode.TestItem,
    test: string,
    label: string,
    document: vscode.TextDocument,
    described: ParsedFunction | undefined,
    { folder, path }: TestPlace,
  ): vscode.TestItem {
    const item = this.#controller.createTestItem(`${file.id}::${test}`, label, document.uri)
    if (described !== undefined) {
      const line = described.line_number - 1
      item.range = new vscode.Range(line, 0, described.end_line_number - 1, 0)
    }
    this.#places.set(item, { folder, path, test: described === undefined ? undefined : test })
    return item
  }
}

/** pytest takes functions by their names, and methods of classes whose name begins with `Test` or that are a TestCase. */
function isTest({ name, qualname }: ParsedFunction): boolean {
  return name.startsWith('test') && !qualname.includes('<locals>')
}

const quietMs = 300

/** Calls once for each document that is left alone. */
function delayed(work: (document: vscode.TextDocument) => void) {
  const timers = new Map<string, NodeJS.Timeout>()
  return {
    call(document: vscode.TextDocument): void {
      const key = document.uri.toString()
      clearTimeout(timers.get(key))
      timers.set(
        key,
        setTimeout(() => {
          timers.delete(key)
          work(document)
        }, quietMs),
      )
    },
    dispose(): void {
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
    },
  }
}
