#!/usr/bin/env node
// Parsed by Node of any age, so that one too old can report it: no import except the one below, and no recent
// syntax.
const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]
if (major > 21 || (major === 20 && minor >= 19)) void import('./start.js')
else {
  process.stderr.write(
    `autotest needs Node 20.19, or 22 and newer, and this is Node ${process.versions.node}: install a newer one and run it again.\n`,
  )
  process.exitCode = 2
}
