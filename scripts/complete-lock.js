// Adds the platform packages that a registry mirror does not hold to package-lock.json, so that `npm ci` accepts the
// file everywhere, and takes out what npm would warn of for nothing. Run it after `npm install`: node scripts/complete-lock.js
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32']

for (const [parent, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const path = `node_modules/${name}`
    if (path in lock.packages || `${parent}/${path}` in lock.packages) continue
    const parts = name.split('/').at(-1).split('-')
    const one = (known) => parts.filter((part) => known.includes(part)).slice(0, 1)
    const libc = parts.some((part) => part.startsWith('musl'))
      ? ['musl']
      : parts.some((part) => part.startsWith('gnu'))
        ? ['glibc']
        : []
    const entry = {
      version: version.replace(/^[~^]/, ''),
      cpu: one(processors),
      ...(dev ? { dev } : {}),
      libc,
      optional: true,
      os: one(systems),
    }
    lock.packages[path] = Object.fromEntries(
      Object.entries(entry).filter(([, value]) => !Array.isArray(value) || value.length > 0),
    )
    console.log(`added ${name}`)
  }
}
// They ask for Node 22. The build copies them into dist/, whatever Node it runs on: Node 20 does not load the one, and all
// of autotest is tested there with the other.
for (const copied of ['better-sqlite3', '@polyglot-sql/sdk'])
  delete lock.packages[`node_modules/${copied}`]?.engines
// Only its grammar for WebAssembly is used: it is not to be compiled where there is no binary of it.
delete lock.packages['node_modules/tree-sitter-python']?.hasInstallScript
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
