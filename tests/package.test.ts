import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

interface Locked {
  readonly packages: Readonly<
    Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>
  >
}

const read = (file: string): string => readFileSync(resolve(import.meta.dirname, '..', file), 'utf8')

describe('package.json', () => {
  const manifest = JSON.parse(read('package.json')) as Readonly<
    Record<string, Readonly<Record<string, string>>>
  >

  it('pins every dependency to one version', () => {
    const older = JSON.parse(read('sqlite12/package.json')) as typeof manifest
    const versions = Object.values({
      ...manifest['dependencies'],
      ...manifest['optionalDependencies'],
      ...manifest['devDependencies'],
      ...older['dependencies'],
    })
    expect(versions.length).toBeGreaterThan(10)
    expect(versions.filter((version) => !/^\d/.test(version))).toEqual([])
  })

  it('has no script that runs where it is installed: pnpm would end with exit 1, and npm would warn', () => {
    expect(Object.keys(manifest['scripts'] ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:pre|post)?install$/)]),
    )
  })

  it('cannot be published by accident', () => {
    expect(manifest['private']).toBe(true)
  })
})

describe('package-lock.json', () => {
  it('holds the packages of every platform, without which npm ci refuses it', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as Locked
    const missing = Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !(`node_modules/${name}` in packages) && !(`${parent}/node_modules/${name}` in packages),
      ),
    )
    expect(missing, 'run node scripts/complete-lock.js').toEqual([])
  })

  it('names no download address', () => {
    // Of a workspace it names the folder.
    expect(read('package-lock.json')).not.toMatch(/"resolved": "(?!packages\/)/)
    expect(read('sqlite12/package-lock.json')).not.toMatch(/"resolved"/)
  })
})

it('names the version of the interpreter of tool scripts where it is missing', () => {
  const source = readFileSync(new URL('../src/subagent/script/script-messages.ts', import.meta.url), 'utf8')
  const { peerDependencies, devDependencies } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  expect(source).toContain(`'@pydantic/monty@${peerDependencies['@pydantic/monty']}'`)
  expect(devDependencies['@pydantic/monty']).toBe(peerDependencies['@pydantic/monty'])
})
