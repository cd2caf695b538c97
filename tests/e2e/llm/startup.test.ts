import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { cli } from '../sample.js'

/** The files that are loaded before anything is asked for. */
function loadedAtOnce(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export)[^;'"]*["'](\.[^"']+)["']/gm)
  for (const [, path = ''] of imports) loadedAtOnce(resolve(dirname(file), path), seen)
  return seen
}

/** What a file goes on with: the first that it loads on demand. */
function program(file: string): string {
  const [, path = ''] = /import\("([^"]+)"\)/.exec(readFileSync(file, 'utf8')) ?? []
  return resolve(dirname(file), path)
}

it('what speaks to models is loaded only where something does', () => {
  const files = loadedAtOnce(program(program(cli)), loadedAtOnce(cli))
  const text = [...files].map((file) => readFileSync(file, 'utf8')).join('\n')
  expect(text).toContain('Runs the benchmark')
  for (const sign of ['OPENAI_BASE_URL', 'FilterExpression']) expect(text).not.toContain(sign)
})
