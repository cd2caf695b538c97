import { readFileSync } from 'node:fs'
import { processTerminal } from './terminal.js'

const args = process.argv.slice(2)
const terminal = processTerminal(process.env)
// Editors wait for the first answer: neither flags nor commands are loaded before it.
if (args.length === 1 && args[0] === 'serve') {
  const { serveOnStandardStreams } = await import('./serve-streams.js')
  await serveOnStandardStreams()
  process.exit()
}
const help = args.length === 1 && args[0] === '--help' ? prebuiltHelp() : undefined
if (help === undefined) {
  const { runProgram } = await import('./program.js')
  process.exitCode = await runProgram(args, terminal)
  // After an interrupt, only the output is awaited: a database that is being opened may never answer. Nor
  // does doctor wait for a check that it reported as hanging.
  if (process.exitCode === 130 || args[0] === 'doctor') process.stdout.write('', () => process.exit())
} else terminal.out(help)

/** Returns the help text that the build stored: loading the flag parser would take longer than the rest. */
function prebuiltHelp(): string | undefined {
  try {
    return readFileSync(new URL('help.txt', import.meta.url), 'utf8').trimEnd()
  } catch {
    // The build is creating it at this moment: then it is composed like all other help.
    return undefined
  }
}
