import * as vscode from 'vscode'
import { ProjectLenses } from '../project-lenses.js'
import { folderOf, pathIn } from '../server/paths.js'
import type { CaseInFile, CasesOfFile } from '../server/protocol.js'
import type { Servers } from '../server/servers.js'

/** What a file must have for the server to be asked whether it is one of a benchmark. */
const looksLikeCases = /^\s*cases\s*:|^\s*-?\s*(?:expected_sql|question|expected_tests)\s*:/m

/** The last verdict, "Run" and "Why" above each case of a benchmark file; where a repair is planned, the plan. */
export class CaseLenses extends ProjectLenses {
  readonly #servers: Servers

  constructor(servers: Servers, onProblem: (error: unknown, folder: vscode.WorkspaceFolder) => void) {
    super('codeLens.cases', onProblem)
    this.#servers = servers
  }

  /** Returns the cases of a document; none where no configuration names it. */
  async of(document: vscode.TextDocument, token?: vscode.CancellationToken): Promise<readonly CaseInFile[]> {
    const folder = folderOf(document.uri)
    if (folder === undefined) return []
    const params = { filePath: pathIn(folder, document.uri), text: document.getText() }
    return (await this.#servers.request<CasesOfFile>(folder, 'cases', params, { token })).cases
  }

  protected isAbout(document: vscode.TextDocument): boolean {
    return looksLikeCases.test(document.getText())
  }

  protected async lensesOf(
    document: vscode.TextDocument,
    _folder: vscode.WorkspaceFolder,
    token: vscode.CancellationToken,
  ): Promise<vscode.CodeLens[]> {
    return (await this.of(document, token)).flatMap((each) => lensesOfCase(document.uri, each))
  }
}

/** Of a reason above a case; the whole is in its tooltip. */
const mostCharacters = 80
const marks: Readonly<Record<string, string>> = { pass: '✓', fail: '✗', unproven: '?', error: '!' }

function lensesOfCase(uri: vscode.Uri, { id, line, last }: CaseInFile): vscode.CodeLens[] {
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
