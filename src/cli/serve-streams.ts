import { readFileSync } from 'node:fs'
import { serve } from '../app/serve/serve.js'
import { packageRoot } from '../platform/built-module.js'

/** Answers requests on standard input; what goes wrong outside of them is logged to standard error. */
export function serveOnStandardStreams(): Promise<void> {
  const version =
    /"version":\s*"([^"]+)"/.exec(readFileSync(`${packageRoot}package.json`, 'utf8'))?.[1] ?? 'unknown'
  return serve({
    input: process.stdin,
    output: process.stdout,
    cwd: process.cwd(),
    env: process.env,
    version,
    now: () => new Date(),
    onLog: (text) => process.stderr.write(`${text}\n`),
  })
}
