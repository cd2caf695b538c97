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

it('what speaks to models is loaded only where something does', () => {
  const [, program = ''] = /import\("([^"]+)"\)/.exec(readFileSync(cli, 'utf8')) ?? []
  const files = loadedAtOnce(resolve(dirname(cli), program), loadedAtOnce(cli))
  const text = [...files].map((file) => readFileSync(file, 'utf8')).join('\n')
  expect(text).toContain('Runs the benchmark')
  for (const sign of ['OPENAI_BASE_URL', 'FilterExpression']) expect(text).not.toContain(sign)
})
