import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load.js'
import type { ConfigOverrides } from '../../src/config/overrides.js'
import { inTemporaryFolder, loaded, refusal, root, write } from './config-files.js'

inTemporaryFolder()

describe('flags', () => {
  it('win over the file', async () => {
    const overrides: ConfigOverrides = {
      benchmarks: ['x.yaml'],
      kb: 'other',
      engine: 'sqlite:x.db',
      dialect: 'mysql',
      agent: { kind: 'module', path: 'a.mjs', deterministic: false },
      asOf: '2024-01-01',
      policy: 'results',
      tolerance: 0.5,
      concurrency: 9,
      maxRetries: 1,
      minGrade: 'E2',
      timeMs: 5,
    }
    const config = await loaded(
      'benchmarks: a\nkb: b\nengine: duckdb:c\ndialect: trino\nas_of: 2025-01-01\nscoring: {policy: both}',
      overrides,
    )
    expect(config).toMatchObject({
      benchmarks: ['x.yaml'],
      kb: 'other',
      engine: 'sqlite:x.db',
      dialect: 'mysql',
      agent: { kind: 'module', path: 'a.mjs' },
      asOf: '2024-01-01',
      scoring: { policy: 'results', tolerance: 0.5 },
      limits: { concurrency: 9 },
      repair: { maxRetries: 1, minGrade: 'E2' },
      budget: { timeMs: 5 },
    })
  })

  it('name paths from the working folder, not from the root', async () => {
    write('autotest.config.yaml', '')
    mkdirSync(join(root, 'sub'))
    const overrides: ConfigOverrides = {
      benchmarks: ['b/*.yaml', join(root, 'abs.yaml')],
      kb: '../kb2',
      engine: 'sqlite:x.db',
      agent: { kind: 'module', path: './a.mjs', deterministic: false },
    }
    const config = await loadConfig({ cwd: join(root, 'sub'), overrides })
    expect(config).toMatchObject({
      benchmarks: ['sub/b/*.yaml', join(root, 'abs.yaml')],
      kb: 'kb2',
      engine: 'sqlite:sub/x.db',
      agent: { path: 'sub/a.mjs' },
    })
    expect(
      (await loadConfig({ cwd: join(root, 'sub'), overrides: { engine: 'duckdb::memory:' } })).engine,
    ).toBe('duckdb::memory:')
  })

  it.each<[ConfigOverrides, string]>([
    [{ concurrency: 0 }, '--concurrency 0: must be at least 1'],
    [{ concurrency: 2.5 }, '--concurrency 2.5: must be a whole number'],
    [{ maxRetries: -1 }, '--max-retries -1: must not be negative'],
    [{ asOf: 'today' }, '--as-of today: must be a date as in 2025-12-31'],
    [{ tolerance: 2 }, '--tolerance 2: must be below 1, or anything matches'],
    [
      { engine: 'http:https://me:secret@x/sql' },
      '--engine must not hold a password: a token goes into the variable of `engine_token_env`',
    ],
    [{ timeMs: 0 }, '--max-time 0: must be more than 0'],
  ])('%j is refused by the rules of the file', async (overrides, message) => {
    expect(await refusal('', overrides)).toMatchObject({ code: 'usage', message })
  })

  it('leave the root only to read benchmarks, never for knowledge', async () => {
    expect((await refusal('', { kb: '../kb' })).message).toMatch(/is not a folder inside the project/)
  })
})
