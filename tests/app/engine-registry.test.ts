import { afterAll, expect, it } from 'vitest'
import { openProjectEngine } from '../../src/app/engine-registry.js'
import { loadConfig } from '../../src/config/load.js'
import { removeFolders } from '../e2e/sample.js'
import { smallProject } from '../e2e/small-project.js'

afterAll(removeFolders)

it('says that allow_functions has no effect on an engine that is not asked about functions', async () => {
  const dir = smallProject({ 'autotest.config.yaml': 'engine: sqlite:shop.sqlite\nallow_functions: [f]\n' })
  const notes: string[] = []
  const config = await loadConfig({ cwd: dir })
  await (await openProjectEngine(config, 'sqlite:shop.sqlite', (text) => notes.push(text))).close()
  expect(notes).toEqual(['allow_functions has no effect: it is for engines of PostgreSQL, MySQL and MariaDB'])
})
