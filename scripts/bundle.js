// What `rolldown -c` does, without its list of some two hundred files: whoever installs has no use for it.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { build } from 'rolldown'
import config from '../rolldown.config.js'

// What `--help` prints, which main.js shows as it is: not that of the build before.
const help = 'dist/cli/help.txt'
rmSync(help, { force: true })
await build(config)
writeFileSync(help, execFileSync(process.execPath, ['dist/cli/main.js', '--help']))
