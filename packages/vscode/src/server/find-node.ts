import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const oldest = [20, 19] as const
const timeoutMs = 10_000

/** Reports whether the server runs on a version of Node.js, as `v24.1.0`. */
export function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  // Version 21 has reached its end.
  return major === oldest[0] ? minor >= oldest[1] : major >= 22
}

/**
 * Returns the Node.js that runs the server: as configured, else the one on `PATH`, else that of this process where it is no editor's. Throws
 * with what was found instead.
 */
export async function findNode(
  configured: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string> {
  const candidates = configured === '' ? candidatesIn(env) : [configured]
  const refused: string[] = []
  for (const program of candidates) {
    const version = await versionOf(program, env)
    if (version !== undefined && isSupported(version)) return program
    refused.push(`${program} ${version === undefined ? 'cannot be run' : `is ${version}`}`)
  }
  const seen = refused.length === 0 ? 'there is none on PATH' : refused.join(', ')
  throw new Error(
    `autotest needs Node.js ${oldest.join('.')} or newer: ${seen}. Install it, or name one in the setting autotest.node.path.`,
  )
}

function candidatesIn(env: Readonly<Record<string, string | undefined>>): string[] {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const onPath = (env['PATH'] ?? env['Path'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .filter((file) => existsSync(file))
  // An editor's own executable has another binary interface than the packages of the server are built for.
  return process.versions['electron'] === undefined ? [...onPath, process.execPath] : onPath
}

function versionOf(
  program: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, ['--version'], { timeout: timeoutMs, env: { ...env } }, (error, stdout) => {
      const version = /^v\d+\.\d+\.\d+/.exec(stdout.trim())?.[0]
      resolve(error === null ? version : undefined)
    })
  })
}
