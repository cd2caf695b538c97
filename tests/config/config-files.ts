import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { Config } from '../../src/config/config.js'
import { loadConfig } from '../../src/config/load.js'
import type { ConfigOverrides } from '../../src/config/overrides.js'
import { AutotestError } from '../../src/errors.js'

/** The folder of the test's configuration. */
export let root: string

/** Makes a folder for each test of the file, and removes it behind it. */
export function inTemporaryFolder(): void {
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'autotest-config-')))
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

export function loaded(text: string, overrides?: ConfigOverrides): Promise<Config> {
  write('autotest.config.yaml', text)
  return loadConfig({ cwd: root, overrides })
}

export async function refusal(text: string, overrides?: ConfigOverrides): Promise<AutotestError> {
  try {
    await loaded(text, overrides)
  } catch (error) {
    if (error instanceof AutotestError) return error
    throw error
  }
  throw new Error('it was loaded')
}
