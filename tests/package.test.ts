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
    const versions = Object.values({ ...manifest['dependencies'], ...manifest['devDependencies'] })
    expect(versions.length).toBeGreaterThan(10)
    expect(versions.filter((version) => !/^(npm:[\w@/-]+@)?\d/.test(version))).toEqual([])
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
    expect(read('package-lock.json')).not.toMatch(/"resolved"/)
  })
})
