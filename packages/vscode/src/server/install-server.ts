import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import * as vscode from 'vscode'
import { findNode } from './find-node.js'

const timeoutMs = 10 * 60_000

/** Installs the server for this extension, outside of any project. Throws with what npm says. */
export async function installServer(
  storage: string,
  log: vscode.LogOutputChannel,
  token: vscode.CancellationToken,
): Promise<void> {
  const [folder] = vscode.workspace.workspaceFolders ?? []
  const settings = vscode.workspace.getConfiguration('autotest', folder)
  const node = await findNode(settings.get<string>('node.path', ''))
  const wanted = settings.get<string>('server.package', '')
  mkdirSync(storage, { recursive: true })
  writeFileSync(join(storage, 'package.json'), '{ "name": "autotest-server", "private": true }\n')
  const args = ['install', '--no-audit', '--no-fund', '--save-exact', wanted]
  log.info(`npm ${args.join(' ')} (in ${storage})`)
  await run(npmBeside(node), args, { storage, node, log, token })
}

/** Returns npm's program: that of the same Node.js, where it has one. */
function npmBeside(node: string): string {
  const name = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const own = join(dirname(node), name)
  return existsSync(own) ? own : name
}

function run(
  npm: string,
  args: readonly string[],
  {
    storage,
    node,
    log,
    token,
  }: {
    readonly storage: string
    readonly node: string
    readonly log: vscode.LogOutputChannel
    readonly token: vscode.CancellationToken
  },
): Promise<void> {
  const { ELECTRON_RUN_AS_NODE: _ours, ...given } = process.env
  const env = { ...given, PATH: `${dirname(node)}${delimiter}${given['PATH'] ?? ''}` }
  return new Promise((resolve, reject) => {
    const options = {
      cwd: storage,
      env,
      timeout: timeoutMs,
      maxBuffer: 10_000_000,
      shell: npm.endsWith('.cmd'),
    }
    const child = execFile(npm, [...args], options, (error, stdout, stderr) => {
      log.info(`${stdout}${stderr}`.trim())
      if (error === null) resolve()
      else if (token.isCancellationRequested) reject(new vscode.CancellationError())
      else {
        const said = stderr.split('\n').filter((line) => /npm (error|ERR!)/.test(line))
        reject(
          new Error(`npm install failed: ${said[0]?.replace(/^npm (error|ERR!)\s*/, '') ?? error.message}`),
        )
      }
    })
    token.onCancellationRequested(() => child.kill())
  })
}
