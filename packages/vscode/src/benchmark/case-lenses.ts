import * as vscode from 'vscode'
import { folderOf, pathIn } from '../server/paths.js'
import type { CaseInFile, CasesOfFile } from '../server/protocol.js'
import type { Servers } from '../server/servers.js'

/** What a file must have for the server to be asked whether it is one of a benchmark. */
const looksLikeCases = /^\s*cases\s*:|^\s*-?\s*(?:expected_sql|question|expected_tests)\s*:/m

/** The last verdict, "Run" and "Why" above each case of a benchmark file; where a repair is planned, the plan. */
export class CaseLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #servers: Servers
  readonly #onProblem: (error: unknown, folder: vscode.WorkspaceFolder) => void
  readonly #changed = new vscode.EventEmitter<void>()
  readonly onDidChangeCodeLenses = this.#changed.event

  constructor(servers: Servers, onProblem: (error: unknown, folder: vscode.WorkspaceFolder) => void) {
    this.#servers = servers
    this.#onProblem = onProblem
  }

  refresh(): void {
    this.#changed.fire()
  }

  async provideCodeLenses(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<vscode.CodeLens[]> {
    const folder = folderOf(document.uri)
    const text = document.getText()
    if (folder === undefined || !looksLikeCases.test(text)) return []
    if (!vscode.workspace.getConfiguration('autotest', document).get<boolean>('codeLens.cases', true))
      return []
    try {
      const cases = await this.of(document, token)
      return cases.flatMap((each) => lensesOf(document.uri, each))
    } catch (error) {
      if (!token.isCancellationRequested) this.#onProblem(error, folder)
      return []
    }
  }

  /** Returns the cases of a document; none where no configuration names it. */
  async of(document: vscode.TextDocument, token?: vscode.CancellationToken): Promise<readonly CaseInFile[]> {
    const folder = folderOf(document.uri)
    if (folder === undefined) return []
    const params = { filePath: pathIn(folder, document.uri), text: document.getText() }
    return (await this.#servers.request<CasesOfFile>(folder, 'cases', params, { token })).cases
  }

  dispose(): void {
    this.#changed.dispose()
  }
}

/** Of a reason above a case; the whole is in its tooltip. */
const mostCharacters = 80
const marks: Readonly<Record<string, string>> = { pass: '✓', fail: '✗', unproven: '?', error: '!' }

function lensesOf(uri: vscode.Uri, { id, line, last }: CaseInFile): vscode.CodeLens[] {
  const range = new vscode.Range(line - 1, 0, line - 1, 0)
  const lens = (title: string, command: string, tooltip: string): vscode.CodeLens =>
    new vscode.CodeLens(range, { title, tooltip, command, arguments: [uri, id, last?.run] })
  const verdict =
    last === undefined
      ? []
      : [lens(verdictText(last), 'autotest.whyCase', [last.reason, ...last.differences].join('\n'))]
  const repair =
    last === undefined || last.verdict === 'pass'
      ? []
      : last.hasPlan
        ? [
            lens('Show repair', 'autotest.showPlan', 'What the planned repair changes'),
            lens('Accept repair', 'autotest.acceptPlan', `Write the repairs of ${last.run}`),
            lens('Reject repair', 'autotest.rejectPlan', 'Later runs do not propose it again'),
          ]
        : [
            lens(
              'Plan a repair',
              'autotest.planRepair',
              'Find a verified edit of the knowledge; nothing is written',
            ),
          ]
  return [
    ...verdict,
    lens('Run', 'autotest.runCase', `Ask the agent, and score its answer: ${id}`),
    ...(last === undefined ? [] : [lens('Why', 'autotest.whyCase', 'This case in earlier runs')]),
    ...repair,
    ...(last === undefined || last.verdict === 'pass' || last.reason === ''
      ? []
      : [lens(firstLine(last.reason), 'autotest.whyCase', last.differences.join('\n'))]),
  ]
}

/** Returns a verdict with its mark and its day. */
function verdictText({ verdict, outcome, at }: NonNullable<CaseInFile['last']>): string {
  return `${marks[verdict] ?? '·'} ${outcome} ${at.slice(0, 10)}`
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n')
  return line.length > mostCharacters ? `${line.slice(0, mostCharacters - 1)}…` : line
}
