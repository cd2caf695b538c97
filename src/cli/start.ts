import { processTerminal } from './terminal.js'

const args = process.argv.slice(2)
const terminal = processTerminal(process.env)
// Editors wait for the first answer: neither flags nor commands are loaded before it.
if (args.length === 1 && args[0] === 'serve') {
  const { serveOnStandardStreams } = await import('./serve-streams.js')
  await serveOnStandardStreams()
  process.exit()
}
// The first screen needs no flag parser, whose loading takes longer than the rest.
if (args.length === 1 && (args[0] === '--help' || args[0] === '-h' || args[0] === 'help')) {
  const { firstScreen } = await import('./help/first-screen.js')
  terminal.out(firstScreen(terminal.width))
} else {
  const { runProgram } = await import('./program.js')
  process.exitCode = await runProgram(args, terminal)
  // After an interrupt, only the output is awaited: a database that is being opened may never answer. Nor
  // does doctor wait for a check that it reported as hanging.
  if (process.exitCode === 130 || args[0] === 'doctor') process.stdout.write('', () => process.exit())
}
