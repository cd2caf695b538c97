// The projects and their years.
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { copySample, sqlSample } from '../../build/modules/app/demo/copy-sample.js'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const here = fileURLToPath(new URL('.', import.meta.url))

/** By name: how a project gets into a folder, and its database. */
export const projects = {
  shop: {
    copy: (to) => copySample(sqlSample, repository, to),
    engine: 'duckdb',
    database: 'data/shop.duckdb',
  },
  library: {
    copy: (to) => cpSync(join(here, 'library'), to, { recursive: true }),
    engine: 'sqlite',
    database: 'data/library.sqlite',
  },
}
export const projectNames = Object.keys(projects)

const kinds = new Set([
  'refactor',
  'rename',
  'new',
  'drift',
  'purpose-with-words',
  'purpose-with-benchmark',
  'wrong-benchmark',
  'benchmark',
  'busy',
])

export function readEvents(name) {
  const events = parse(readFileSync(join(here, `${name}.yaml`), 'utf8'))
  for (const event of events) {
    if (!kinds.has(event.kind)) throw new Error(`${name}.yaml: ${event.id} is of no known kind`)
    if (event.closes !== undefined && !events.some((other) => other.id === event.closes))
      throw new Error(`${name}.yaml: ${event.id} closes an event that is not there`)
  }
  return events
}
