// The knowledge bases that histories are made of: the sample's, and those of this folder, which have a database over SQLite.
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { Sqlite as Database } from '../../build/modules/platform/sqlite.js'
import { measure } from '../measure.js'

const sampleRoot = fileURLToPath(new URL('../..', import.meta.url))
const asOf = '2025-12-31'

/** What a file of this folder holds. */
export function readData(name) {
  return parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
}

/**
 * Every knowledge base as `{name, files}`, path → text; its database is built once in `folder`, and all histories read that.
 */
export async function openProjects(folder) {
  mkdirSync(folder, { recursive: true })
  return [await sample(folder), overSqlite('billing', folder), overSqlite('clinic', folder)]
}

async function sample(folder) {
  const root = join(folder, 'sample')
  cpSync(join(sampleRoot, 'data/shop.sql'), join(root, 'data/shop.sql'))
  for (const name of ['kb', 'benchmarks', 'autotest.config.yaml'])
    cpSync(join(sampleRoot, name), join(root, name), { recursive: true })
  // This run builds the database from its script; the histories have no script, so that none builds it again.
  await measure(['--no-repair', '--id', 'ctr_ph_2025'], root)
  const paths = ['kb', 'benchmarks'].flatMap((name) => filesBelow(join(root, name)))
  const files = Object.fromEntries(paths.map((path) => [relative(root, path), readFileSync(path, 'utf8')]))
  return { name: 'sample', files: withConfig(files, `duckdb:${join(root, 'data/shop.duckdb')}`) }
}

function overSqlite(name, folder) {
  const { database: script, files } = readData(`${name}.yaml`)
  const path = join(folder, `${name}.sqlite`)
  const database = new Database(path)
  database.exec(script)
  database.close()
  return { name, files: withConfig(files, `sqlite:${path}`) }
}

function withConfig(files, engine) {
  return {
    'README.md': '# Analytics\n',
    ...files,
    '.gitignore': 'reports/\n.autotest/\n',
    'autotest.config.yaml': `engine: ${engine}\nas_of: ${asOf}\nlimits: { concurrency: 2 }\n`,
  }
}

function filesBelow(folder) {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path]))
}
